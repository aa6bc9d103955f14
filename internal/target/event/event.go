// Package event carries out what happens to a database while it is loaded, at times of the measured window, and writes down what was seen of each event.
package event

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// The kinds of events, by the fields that name them.
const (
	Kill     = "kill"     // SIGKILL; a server that is alone is started again at once, a member stays dead
	Restart  = "restart"  // the server is shut down in order and started again
	Pause    = "pause"    // its process is stopped (SIGSTOP), and continued (SIGCONT)
	Delete   = "delete"   // the pod of a server in a cluster is deleted, and its StatefulSet creates it again
	CutOff   = "cutOff"   // its node's link drops every packet
	SlowDisk = "slowDisk" // its disk does few operations a second
	SlowLink = "slowLink" // its node's link is slow
	Command  = "command"  // a command of the user's
)

// Whom an event happens to, beside the number of a member. Primary and Secondary are found when
// the event begins.
const (
	TheServer    = "server" // the only one of a database that is not replicated
	ThePod       = "pod"    // that the server is in
	ThePrimary   = "primary"
	TheSecondary = "secondary" // the first member that is not the primary
)

// Event is one item of an arm's events: block. Exactly one of the kinds is set: those that happen
// to a server name it.
type Event struct {
	// At counts from the beginning of the measured window.
	At experiment.Duration `yaml:"at"`
	// For is how long it lasts.
	For      experiment.Duration `yaml:"for"`
	Kill     string              `yaml:"kill"`
	Restart  string              `yaml:"restart"`
	Pause    string              `yaml:"pause"`
	Delete   string              `yaml:"delete"`
	CutOff   string              `yaml:"cutOff"`
	SlowDisk string              `yaml:"slowDisk"`
	SlowLink string              `yaml:"slowLink"`
	// Command is a program with its arguments, which tare runs as its own user. Timeout is when
	// it is ended.
	Command []string            `yaml:"command"`
	Timeout experiment.Duration `yaml:"timeout"`
	// ReadIOPS and WriteIOPS are what a slow disk does in a second; 0 is as many as before.
	ReadIOPS  uint64 `yaml:"readIOPS"`
	WriteIOPS uint64 `yaml:"writeIOPS"`
	// Rate is that of a slow link.
	Rate node.Rate `yaml:"rate"`
}

// kinds are the event's, by whom each names; one in an event that is right.
func (e Event) kinds() (kinds, named []string) {
	for _, k := range [][2]string{
		{Kill, e.Kill}, {Restart, e.Restart}, {Pause, e.Pause}, {Delete, e.Delete}, {CutOff, e.CutOff}, {SlowDisk, e.SlowDisk}, {SlowLink, e.SlowLink},
	} {
		if k[1] != "" {
			kinds, named = append(kinds, k[0]), append(named, k[1])
		}
	}
	if len(e.Command) > 0 {
		kinds, named = append(kinds, Command), append(named, "")
	}
	return kinds, named
}

// Kind is what happens, and to whom; a command has no member.
func (e Event) Kind() (kind, named string) {
	kinds, names := e.kinds()
	return kinds[0], names[0]
}

// length is how long the event lasts at most by the experiment.
func (e Event) length() time.Duration { return max(e.For, e.Timeout).Std() }

// until is when it is over; one without an end lasts.
func (e Event) until() time.Duration { return e.At.Std() + e.length() }

// Planned are the events of an arm, and the field that has them.
type Planned struct {
	Field string
	All   []Event
	both  bool
}

// Of are the events of an arm's two fields, of which faults is the name that older files have.
func Of(events, faults []Event) Planned {
	if len(events) == 0 && len(faults) > 0 {
		return Planned{Field: "faults", All: faults}
	}
	return Planned{Field: "events", All: events, both: len(faults) > 0}
}

// Any says whether there is an event.
func (p Planned) Any() bool { return len(p.All) > 0 }

// Spans are when the events take place.
func (p Planned) Spans() (spans []target.EventSpan) {
	for i, e := range p.All {
		spans = append(spans, target.EventSpan{Block: p.Field, Field: p.at(i), At: e.At.Std(), For: e.length()})
	}
	return spans
}

func (p Planned) at(i int) string { return fmt.Sprintf("%s[%d]", p.Field, i) }

// With are the fields of the events of a kind.
func (p Planned) With(kind string) (fields []string) {
	for i, e := range p.All {
		if kinds, _ := e.kinds(); slices.Contains(kinds, kind) {
			fields = append(fields, p.at(i)+"."+kind)
		}
	}
	return fields
}

// CutOff says whether a member is to be cut off.
func (p Planned) CutOff() bool {
	return slices.ContainsFunc(p.All, func(e Event) bool { return e.CutOff != "" })
}

// Permission is what the user of the arm has to allow: the file may be another's, and a command is
// any program.
func (p Planned) Permission() *target.Permission {
	for i, e := range p.All {
		if len(e.Command) > 0 {
			return &target.Permission{Allow: target.AllowCommands, Field: p.at(i) + "." + Command, Why: fmt.Sprintf("the experiment runs the program %q as your user", e.Command[0])}
		}
	}
	return nil
}
