// What a lab leaves behind, found by its names alone.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// down ends every process of the lab and removes its namespaces, links, cgroups
// and files. Built programs and the image store stay.
func (l *lab) down() error {
	err := errors.Join(l.endProcesses(), removeNamespaces(), removeCgroups(prefix))
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(l.path("run")), os.RemoveAll(etcdDir)); err != nil {
		return fmt.Errorf("remove the lab's files: %w", err)
	}
	return nil
}

// endProcesses kills the nodes first: everything in them goes with them. A lab
// of another directory is not touched, and not possible at the same time.
func (l *lab) endProcesses() error {
	all, err := processes()
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.dir != l.dir {
			return fmt.Errorf("a lab of %s runs on this machine (process %d, %s); there can be one: %s/bin/lab down", p.dir, p.pid, p.command, p.dir)
		}
	}
	slices.SortStableFunc(all, func(a, b process) int { return len(b.node) - len(a.node) })
	for _, p := range all {
		if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end process %d (%s): %w", p.pid, p.command, err)
		}
	}
	for _, p := range all {
		if err := waitGone(p.pid); err != nil {
			return err
		}
	}
	return nil
}

// removeNamespaces removes the network namespaces, and with them every link in
// them and the other ends of those.
func removeNamespaces() error {
	entries, err := os.ReadDir("/run/netns")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for namespaces: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix+"-") {
			if err := commands("ip netns del " + e.Name()); err != nil {
				return err
			}
		}
	}
	// A link dies with its namespace some time later (cleanup_net); its name is
	// used again at once.
	if _, err := os.Stat("/sys/class/net/" + prefix); err == nil {
		if err := commands("ip link del " + prefix); err != nil && !strings.Contains(err.Error(), "Cannot find device") {
			return err
		}
	}
	return nil
}
