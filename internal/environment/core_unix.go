//go:build unix

package environment

import "golang.org/x/sys/unix"

// NoCoreFile keeps the memory of this process, which may hold a password, out of core
// dumps (core(5)). What it starts inherits the limit.
//
// A limit of one byte is too little for a file, as 0 is, and is also the only one that the
// kernel respects where it pipes dumps to a program, such as systemd-coredump (fs/coredump.c).
// PR_SET_DUMPABLE would give the files of this process in /proc to root.
func NoCoreFile() {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		return // no such limit, and no way to ask for one
	}
	one := unix.Rlimit{Cur: 1, Max: max(limit.Max, 1)}
	if unix.Setrlimit(unix.RLIMIT_CORE, &one) == nil {
		return
	}
	// The hard limit is 0, and only root may raise it.
	limit.Cur = 0
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit) // a lower soft limit is always allowed
}
