package fault

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAt: the process ends by SIGKILL at the requested point and count, and
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

// TestStop: the process stops each time that it reaches one of the points, and goes on
// when it is continued.
func TestStop(t *testing.T) {
	file := filepath.Join(t.TempDir(), "points")
	if err := os.WriteFile(file, []byte(Stop+"b; c\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestAt$")
	cmd.Env = append(os.Environ(), Variable+"="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for stops := 0; ; stops++ {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			if status.ExitStatus() != 0 || stops != 3 {
				t.Errorf("exit status %d after %d stops, want 0 after 3", status.ExitStatus(), stops)
			}
			return
		}
		if err := syscall.Kill(cmd.Process.Pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
}
