// Package spawn starts processes that the kernel kills when tare ends.
package spawn

import "runtime"

// StartHeld calls start, which starts a process with a parent-death signal, and returns its error. If it has
// started, wait is called and waits until the process has ended. Both run on one thread, which is held
// meanwhile: the signal comes when the thread that started the process ends (PR_SET_PDEATHSIG(2const)), and
// Go ends the thread of a goroutine that ends locked to it.
func StartHeld(start func() error, wait func()) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := start()
		started <- err
		if err == nil {
			wait()
		}
	}()
	return <-started
}
