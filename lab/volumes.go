// Volumes that were given back: emptied and offered again, as the sig-storage
// static provisioner does on nodes with local disks.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// recycle runs beside the control plane for as long as the lab does.
func (l *lab) recycle(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := l.watchVolumes(ctx); err != nil { // the API server can be away
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(time.Second)
	}
	return nil
}

// watchVolumes reads one line for every change of a volume.
func (l *lab) watchVolumes(ctx context.Context) error {
	c := exec.CommandContext(ctx, l.path("bin", "kubectl"), "--kubeconfig", l.kubeconfig("admin"), "get", "persistentvolumes",
		"--watch", "-o", `jsonpath={.metadata.name} {.status.phase}{"\n"}`)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return fmt.Errorf("watch volumes: %w", err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, phase, _ := strings.Cut(lines.Text(), " ")
		if phase != "Released" {
			continue
		}
		if err := l.offerAgain(ctx, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return c.Wait()
}

// offerAgain empties a volume's directory and forgets who had it.
func (l *lab) offerAgain(ctx context.Context, name string) error {
	nodeName, _, _ := strings.Cut(name, "-")
	n, err := findNode(nodeName)
	if err != nil {
		return err
	}
	dir := l.in(n, "volumes", name)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty volume %s: %w", name, err)
	}
	if err := makeDirs(dir); err != nil {
		return err
	}
	_, err = l.kubectl(ctx, "", "patch", "persistentvolume", name, "--type=merge", "--patch", `{"spec":{"claimRef":null}}`)
	return err
}
