package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/target"
)

// Exec runs a command beside the server, as its user and in its view of the
// disk, or as a plain process of this host.
func (s *server) Exec(ctx context.Context, side target.Side, c target.Command) error {
	if side == target.ClientSide {
		return s.network.InsideClient(func() error { return target.RunHere(ctx, c.Here(ctx, s.request.Name)) })
	}
	if err := s.Alive(); err != nil {
		return fmt.Errorf("run %s beside the server: %w", c.Path, err)
	}
	if !filepath.IsAbs(c.Path) {
		return fmt.Errorf("run %s beside the server: name it by its path in the server's root file system", c.Path)
	}
	cmd := c.Here(ctx, s.request.Name)
	cmd.Dir = "/"
	cmd.Env = append(s.request.Environment(), c.Env...)
	d := s.request.Distribution
	cmd.SysProcAttr = attributes(d.Root, d.UID, d.GID)
	if !s.view.private {
		return target.RunHere(ctx, cmd)
	}
	done := make(chan error)
	go awayFromMain(func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this function
		if err := s.join(); err != nil {
			done <- err
			return
		}
		done <- target.RunHere(ctx, cmd)
	})
	return <-done
}

// join puts the calling thread into the server's mount and network namespaces.
func (s *server) join() error {
	if s.namespace != "" {
		if err := network.Join(s.namespace); err != nil {
			return err
		}
	}
	ns, err := os.Open(filepath.Join("/proc", strconv.Itoa(s.process().cmd.Process.Pid), "ns/mnt"))
	if err != nil {
		return fmt.Errorf("open the server's mount namespace: %w", err)
	}
	defer ns.Close()
	// setns(2) wants a thread that shares its root and working directory with
	// no other.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("leave this process's mount namespace: %w", err)
	}
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("enter the server's mount namespace: %w", err)
	}
	return nil
}
