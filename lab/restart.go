// Agents that die: killed, and started again.
package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// restart kills the API server, which is started again here, or a node's kubelet,
// which its node starts again a second later. It returns when the API server is
// ready, and for a kubelet at once.
func restart(ctx context.Context, l *lab, args []string) error {
	switch {
	case len(args) == 1 && args[0] == apiServer:
		if err := l.kill(apiServer, func(process) bool { return true }); err != nil {
			return err
		}
		controls := controlPlane()
		i := slices.IndexFunc(controls, func(c control) bool { return c.name == apiServer })
		started, err := l.startControl(controls[i])
		if err != nil {
			return err
		}
		return l.waitForAPI(ctx, started)
	case len(args) == 2 && args[0] == "kubelet":
		n, err := findNode(args[1])
		if err != nil {
			return err
		}
		return l.kill("kubelet", func(p process) bool { return slices.Contains(p.argv, hostnameOverride+n.name) })
	}
	return errors.New("write lab restart kube-apiserver, or lab restart kubelet n1")
}

// killPatience is how long a process may be missing: its node starts it again a second after
// it has ended (supervise), and another restart may have just ended it.
const killPatience = 30 * time.Second

// kill ends the lab's process of that name, without a word.
func (l *lab) kill(name string, which func(process) bool) error {
	wanted := func(p process) bool { return p.dir == l.dir && p.command == name && which(p) }
	for deadline := time.Now().Add(killPatience); ; time.Sleep(100 * time.Millisecond) {
		all, err := processes()
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(all, wanted); i >= 0 {
			if err := syscall.Kill(all[i].pid, syscall.SIGKILL); err != nil {
				return fmt.Errorf("kill %s: %w", name, err)
			}
			return waitGone(all[i].pid)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("kill %s: it does not run", name)
		}
	}
}
