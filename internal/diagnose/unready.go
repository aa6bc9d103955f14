package diagnose

// What is known of a server that never answered: it has no window and no samples, only
// what its cgroup had counted when the time was up.

import (
	"math"
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

// unreadied is one such trial.
type unreadied struct {
	said func(key string) string
}

// unready is the last of the arm's trials whose server did not answer and whose
// cgroup was read then; nil without one.
func unready(arm *compare.Arm) *unreadied {
	for i := len(arm.Trials) - 1; i >= 0; i-- {
		u := &unreadied{facts(arm.Trials[i])}
		if u.level("seconds") > 0 {
			return u
		}
	}
	return nil
}

// level is a value as it was read; NaN where it was not.
func (u *unreadied) level(name string) float64 {
	v, err := strconv.ParseFloat(u.said(keys.UnreadyPrefix+name), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// limit is a bound, where there is one.
func (u *unreadied) limit(name string) (v float64, ok bool) {
	v = u.level(name)
	return v, !math.IsNaN(v)
}

// rate is a counter's growth a second since the server was started.
func (u *unreadied) rate(name string) (perSecond float64, ok bool) {
	v := u.level(name) / u.level("seconds")
	return v, !math.IsNaN(v)
}
