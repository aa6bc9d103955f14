package spawn

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// TestStartHeld: a process that is to die with the thread that started it is alive when the threads of
// other goroutines have ended, and its end is waited for.
func TestStartHeld(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	if err := StartHeld(cmd.Start, func() { ended <- cmd.Wait() }); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		done := make(chan struct{})
		go func() {
			runtime.LockOSThread() // and never unlocked: the thread ends
			close(done)
		}()
		<-done
	}
	stdin.Close()
	if err := <-ended; err != nil {
		t.Errorf("the process has not ended by itself: %v", err)
	}
}

// TestStartHeldFails: nothing is waited for that has not started.
func TestStartHeldFails(t *testing.T) {
	failed := errors.New("x")
	if err := StartHeld(func() error { return failed }, func() { t.Error("waited for nothing") }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
}
