package members

// What happens to members while they are loaded, as an arm's setting.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
)

// The kinds of faults, by the fields that name their member.
const (
	kill     = "kill"     // its process gets SIGKILL, and stays dead
	pause    = "pause"    // its process is stopped (SIGSTOP), and continued (SIGCONT)
	cutOff   = "cutOff"   // its node's link drops every packet
	slowDisk = "slowDisk" // its disk does few operations a second
	slowLink = "slowLink" // its node's link is slow
)

// Members that are found when the fault begins.
const (
	thePrimary   = "primary"
	theSecondary = "secondary" // the first member that is not the primary
)

// Fault is one item of an arm's faults: block. Exactly one of the kinds names a member:
// primary, secondary, or its number.
type Fault struct {
	// At counts from the beginning of the measured window.
	At experiment.Duration `yaml:"at"`
	// For is how long it lasts; a member that is killed stays dead.
	For      experiment.Duration `yaml:"for"`
	Kill     string              `yaml:"kill"`
	Pause    string              `yaml:"pause"`
	CutOff   string              `yaml:"cutOff"`
	SlowDisk string              `yaml:"slowDisk"`
	SlowLink string              `yaml:"slowLink"`
	// ReadIOPS and WriteIOPS are what a slow disk does in a second; 0 is as many as before.
	ReadIOPS  uint64 `yaml:"readIOPS"`
	WriteIOPS uint64 `yaml:"writeIOPS"`
	// Rate is that of a slow link.
	Rate network.Rate `yaml:"rate"`
}

// Faults are all of an arm.
type Faults []Fault

// kinds are the fault's, by the member that each names; one in a fault that is right.
func (f Fault) kinds() (kinds, members []string) {
	for _, k := range [][2]string{{kill, f.Kill}, {pause, f.Pause}, {cutOff, f.CutOff}, {slowDisk, f.SlowDisk}, {slowLink, f.SlowLink}} {
		if k[1] != "" {
			kinds, members = append(kinds, k[0]), append(members, k[1])
		}
	}
	return kinds, members
}

// kind is what happens, and to whom.
func (f Fault) kind() (kind, member string) {
	kinds, members := f.kinds()
	return kinds[0], members[0]
}

// until is when it is over; one without an end lasts.
func (f Fault) until() time.Duration { return f.At.Std() + f.For.Std() }

// earliest is how long a load runs undisturbed before a fault: what it loses is compared
// with that.
const earliest = time.Second

// wrong is what is wrong with the faults of an arm.
func (all Faults) wrong(r *replication.Settings) (errs []error) {
	if len(all) == 0 {
		return nil
	}
	if r == nil {
		return []error{target.Wrong("faults", "faults are those of the members of a replicated database; write replication: {mode: group}, or leave faults out")}
	}
	for i, f := range all {
		add := func(field, format string, args ...any) {
			errs = append(errs, target.Wrong(strings.TrimSuffix(fmt.Sprintf("faults[%d].%s", i, field), "."), format, args...))
		}
		f.wrong(r.Defaulted().Members, add)
		if i > 0 && f.At.Std() < all[i-1].until() {
			add("at", "%v is before the end of the fault before it, at %v; write faults one after the other", f.At, experiment.Duration(all[i-1].until()))
		}
	}
	return errs
}

func (f Fault) wrong(members int, add func(field, format string, args ...any)) {
	kinds, named := f.kinds()
	switch len(kinds) {
	case 0:
		add("", "expected one of kill, pause, cutOff, slowDisk or slowLink with a member, such as pause: primary")
		return
	case 1:
	default:
		add("", "a fault has one kind, not %s; write one item for each", strings.Join(kinds, " and "))
		return
	}
	kind := kinds[0]
	if n, err := strconv.Atoi(named[0]); named[0] != thePrimary && named[0] != theSecondary && (err != nil || n < 1 || n > members) {
		add(kind, "%.40q is not a member; write primary, secondary, or a number from 1 to %d", named[0], members)
	}
	if f.At.Std() < earliest {
		add("at", "%v is too early: what a fault costs is compared with the time before it; write %v or later, from the beginning of the measured window", f.At, earliest)
	}
	switch {
	case kind == kill && f.For != 0:
		add("for", "a member that is killed stays dead until the trial ends; leave it out, or write pause")
	case kind != kill && f.For <= 0:
		add("for", "write how long it lasts, such as for: 10s")
	}
	if (kind == slowDisk) != (f.ReadIOPS > 0 || f.WriteIOPS > 0) {
		add(kind, "readIOPS and writeIOPS are those of slowDisk, which requires one of them, such as writeIOPS: 50")
	}
	if (kind == slowLink) != (f.Rate > 0) {
		add(kind, "rate is that of slowLink, which requires it, such as rate: 10Mbit")
	}
}

// spans are when the faults take place.
func (all Faults) spans() (spans []target.FaultSpan) {
	for i, f := range all {
		spans = append(spans, target.FaultSpan{Field: fmt.Sprintf("faults[%d]", i), At: f.At.Std(), For: f.For.Std()})
	}
	return spans
}

// SlowDisks are the fields of the faults that slow a disk down.
func (all Faults) SlowDisks() (fields []string) {
	for i, f := range all {
		if f.SlowDisk != "" {
			fields = append(fields, fmt.Sprintf("faults[%d].%s", i, slowDisk))
		}
	}
	return fields
}

// CutOff says whether a member is to be cut off.
func (all Faults) CutOff() bool {
	return slices.ContainsFunc(all, func(f Fault) bool { return f.CutOff != "" })
}
