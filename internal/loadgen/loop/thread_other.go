//go:build !linux

package loop

import "time"

// A loop has no thread of its own here, so that what its thread used, and how long it waited for a CPU, is not known.

func (l *Loop) ownThread() {}

func exactThread() {}

func (l *Loop) share() (policy uint32, nice int) { return 0, 0 }

func schedule(uint32, int) {}

// doze does nothing: without stamps there is no rest.
func doze(int64) {}

func threadID() int { return 0 }

func threadUsage() (user, system time.Duration, sleeps int64) { return 0, 0, 0 }
