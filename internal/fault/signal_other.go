//go:build !linux

package fault

import "os"

func kill() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}

// stop is what the tests of servers on this host need, which are Linux's alone.
func stop() { panic("fault point: only Linux stops a thread") }
