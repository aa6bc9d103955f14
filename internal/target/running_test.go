package target

import (
	"os/exec"
	"testing"
)

// TestRunning: another process of this machine runs, this one does not count, and of other machines
// nothing is known.
func TestRunning(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	other := self
	other.PID = waiting(t)
	if other.StartTicks, err = startTicks(other.PID); err != nil {
		t.Fatal(err)
	}
	ended, elsewhere := other, other
	ended.StartTicks++ // another process had the number
	elsewhere.Boot = "another machine"
	for name, c := range map[string]struct {
		note    Note
		running bool
	}{"other": {other, true}, "self": {self, false}, "ended": {ended, false}, "elsewhere": {elsewhere, false}, "nothing": {Note{}, false}} {
		if got := c.note.Running(); got != c.running {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// waiting starts a process that waits for its input until the test ends.
func waiting(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command("cat")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = cmd.Wait() // it has ended
	})
	return cmd.Process.Pid
}
