package main

// This file starts processes that are to end with the benchmark.

import (
	"os/exec"
	"runtime"
	"syscall"
)

// launch starts a process that the kernel kills when the benchmark ends, and returns a channel that
// is closed when the process has ended. The signal comes when the thread that started it ends
// (PR_SET_PDEATHSIG(2const)), and threads of the load's loops end: so this one is held.
func launch(cmd *exec.Cmd) (chan struct{}, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // ProcessState has it
		close(ended)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return ended, nil
}
