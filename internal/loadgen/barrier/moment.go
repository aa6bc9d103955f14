package barrier

import (
	"fmt"
	"regexp"
	"time"

	"github.com/tarebench/tare/internal/environment"
)

// moment is one moment by this process's clock and by Go's time, which has that clock and does not show it.
type moment struct {
	name string // of the clock
	at   time.Time
	ns   int64
}

// clockName is what a name consists of: it becomes a part of statements.
var clockName = regexp.MustCompile(`^[A-Za-z0-9:. \[\]-]{1,96}$`)

// ownMoment reads both several times: a thread that is held up between two readings makes them differ.
func ownMoment() (moment, error) {
	name, err := environment.Clock()
	if err == nil && !clockName.MatchString(name) {
		err = fmt.Errorf("%q is not a valid name of a clock", name)
	}
	least, m := time.Duration(0), moment{name: name}
	for i := 0; err == nil && i < readings; i++ {
		before := time.Now()
		var ns int64
		ns, err = monotonic()
		if took := time.Since(before); i == 0 || took < least {
			least, m.at, m.ns = took, before.Add(took/2), ns
		}
	}
	return m, err
}

// when is a moment of the clock by Go's time.
func (m moment) when(ns int64) time.Time { return m.at.Add(time.Duration(ns - m.ns)) }

// nanoseconds are a moment of Go's time by the clock.
func (m moment) nanoseconds(at time.Time) int64 { return m.ns + at.Sub(m.at).Nanoseconds() }
