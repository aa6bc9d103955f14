package target

import (
	"os"
	"testing"
)

// TestRunning: another process of this machine runs, this one does not count, and of other machines
// nothing is known.
func TestRunning(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	parent := self
	parent.PID = os.Getppid()
	if parent.StartTicks, err = startTicks(parent.PID); err != nil {
		t.Skip(err) // it is in another PID namespace
	}
	ended, elsewhere := parent, parent
	ended.StartTicks++ // another process had the number
	elsewhere.Boot = "another machine"
	for name, c := range map[string]struct {
		note    Note
		running bool
	}{"parent": {parent, true}, "self": {self, false}, "ended": {ended, false}, "elsewhere": {elsewhere, false}, "nothing": {Note{}, false}} {
		if got := c.note.Running(); got != c.running {
			t.Errorf("%s: %v", name, got)
		}
	}
}
