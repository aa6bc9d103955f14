package network

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/lock"
)

// namespaceDir is where ip-netns(8) keeps named namespaces.
const namespaceDir = "/run/netns"

// makeNamespace makes a network namespace that a file keeps, with its loopback
// up.
func makeNamespace(path string) error {
	if err := shareDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("make network namespace: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return fmt.Errorf("make network namespace: %w", err)
	}
	f.Close()
	err = onThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("unshare: %w", err)
		}
		own := fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid())
		if err := unix.Mount(own, path, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount %s: %w", path, err)
		}
		lo, err := netlink.LinkByName("lo")
		if err != nil {
			return err
		}
		return netlink.LinkSetUp(lo)
	})
	if err != nil {
		return fmt.Errorf("make network namespace: %w", err)
	}
	return nil
}

// shareDir makes a directory and mounts it on itself, unless it is a mount already.
// The first "ip netns add" of a machine does the same (iproute2, ip/ipnetns.c), and
// buries every namespace file that was mounted there before: no path leads to its
// mount any more, and it can never be removed. Whoever comes first leaves the mount;
// the lock is iproute2's as well.
func shareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := lockWithin(d, lockPatience); err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	err = unix.Mount("", dir, "", unix.MS_SHARED|unix.MS_REC, "")
	if !errors.Is(err, unix.EINVAL) { // EINVAL: it is no mount
		return err
	}
	if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s on itself: %w", dir, err)
	}
	return unix.Mount("", dir, "", unix.MS_SHARED|unix.MS_REC, "")
}

// lockPatience is how long another process may hold the lock: it makes two mounts.
const lockPatience = 30 * time.Second

// lockWithin takes a lock that another process may hold.
func lockWithin(f *os.File, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := lock.Wait(ctx, f, nil); err != nil {
		return fmt.Errorf("wait for %s: %w", patience, err)
	}
	return nil
}

// removeNamespace lets the file go. The namespace ends with its last process.
func removeNamespace(path string) error {
	err := unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove network namespace: unmount %s: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove network namespace: %w", err)
	}
	return nil
}

// Inside calls f on a thread that is in the network namespace of a file. Sockets
// that f opens and processes that it starts belong to it; goroutines that it
// starts do not.
func Inside(path string, f func() error) error {
	return onThread(func() error {
		if err := Join(path); err != nil {
			return err
		}
		return f()
	})
}

// Join puts the calling thread, which must be locked, into the network namespace
// of a file. To put it back, or to let it end, is the caller's.
func Join(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("enter network namespace %s: %w", path, err)
	}
	defer unix.Close(fd)
	if err := unix.Setns(fd, unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter network namespace %s: %w", path, err)
	}
	return nil
}

// onThread calls f on this goroutine's thread alone, and puts the thread's own
// network namespace back. A thread that cannot be put back is never used again:
// the runtime ends a thread whose goroutine ends while it is locked to it.
func onThread(f func() error) error {
	runtime.LockOSThread()
	own, err := netns.Get()
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("find own network namespace: %w", err)
	}
	defer func() { _ = own.Close() }() // it was only read
	err = f()
	if e := netns.Set(own); e != nil {
		return errors.Join(err, fmt.Errorf("leave network namespace: %w", e))
	}
	runtime.UnlockOSThread()
	return err
}

// handle is a netlink socket in a namespace, for whoever changes several things
// in it.
func (n *Network) handle(name string) (*netlink.Handle, error) {
	ns, err := netns.GetFromPath(n.path(name))
	if err != nil {
		return nil, fmt.Errorf("open network namespace: %w", err)
	}
	defer func() { _ = ns.Close() }() // it was only read
	h, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	return h, nil
}

// sysctl writes a value of the namespace that the calling thread is in.
func sysctl(name, value string) error {
	if err := os.WriteFile(filepath.Join("/proc/sys", name), []byte(value), 0); err != nil {
		return fmt.Errorf("set sysctl %s: %w", name, err)
	}
	return nil
}
