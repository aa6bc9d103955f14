package fault

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAt: the process ends by SIGKILL at the point and the count that are wanted, and
// every point before is in the file.
func TestAt(t *testing.T) {
	if os.Getenv(Variable) != "" {
		for range 3 {
			At("a")
			At("b")
		}
		return
	}
	At("without the variable nothing happens")
	file := filepath.Join(t.TempDir(), "points")
	for want, passed := range map[string]string{"b#2": "a\nb\na\nb\n", "c#1": "a\nb\na\nb\na\nb\n"} {
		if err := os.WriteFile(file, []byte(want+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestAt$")
		cmd.Env = append(os.Environ(), Variable+"="+file)
		err := cmd.Run()
		var exit *exec.ExitError
		killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
		if killed != (want == "b#2") {
			t.Errorf("%s: %v", want, err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != want+"\n"+passed {
			t.Errorf("%s: %q, %v", want, text, err)
		}
	}
}
