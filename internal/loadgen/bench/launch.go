package main

// This file starts processes that are to end with the benchmark.

import (
	"os/exec"
	"syscall"

	"github.com/tarebench/tare/internal/spawn"
)

// launch starts a process that the kernel kills when the benchmark ends, and returns a channel that
// is closed when the process has ended.
func launch(cmd *exec.Cmd) (chan struct{}, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	ended := make(chan struct{})
	err := spawn.StartHeld(cmd.Start, func() {
		_ = cmd.Wait() // ProcessState has it
		close(ended)
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}
