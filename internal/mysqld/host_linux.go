package mysqld

// What a server's files need of this host: room, a disk that has them, and a process that cannot leave them.

import (
	"errors"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// runsHere says why no server can run on this host.
func runsHere() error { return nil }

// confined makes a command run inside the root file system without privileges.
// Without root, a user namespace gives the right to chroot where the kernel
// allows it (user_namespaces(7)).
func confined(d Distribution) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{}
	if d.Root != "/" {
		attr.Chroot = d.Root
	}
	switch {
	case os.Geteuid() == 0:
		attr.Credential = &syscall.Credential{Uid: uint32(d.UID), Gid: uint32(d.GID)}
	case d.Root != "/":
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return attr
}

// roomFor is what may be unpacked below dir, which may not exist yet.
func roomFor(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Bsize <= 0 {
		return mostUnpacked
	}
	free := int64(math.Min(float64(s.Bavail)*float64(s.Bsize), math.MaxInt64/2))
	return min(mostUnpacked, max(0, free-leftFree))
}

// syncFileSystem returns when everything on the file system of dir is on its disk (syncfs(2)).
func syncFileSystem(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
}
