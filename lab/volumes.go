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
	offered := map[string]string{}
	for ctx.Err() == nil {
		if err := l.watchVolumes(ctx, offered); err != nil { // the API server can be away
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(time.Second)
	}
	return nil
}

// watchVolumes reads one line for every change of a volume, with the claim that had
// it. A change that comes before the phase follows, as the one made here does, is not
// to empty a volume that is somebody else's by then: offered are the claims, by volume,
// after which it was done.
func (l *lab) watchVolumes(ctx context.Context, offered map[string]string) error {
	c := exec.CommandContext(ctx, l.path("bin", "kubectl"), "--kubeconfig", l.kubeconfig("admin"), "get", "persistentvolumes",
		"--watch", "-o", `jsonpath={.metadata.name} {.status.phase} {.spec.claimRef.uid}{"\n"}`)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return fmt.Errorf("watch volumes: %w", err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 3 || words[1] != "Released" || offered[words[0]] == words[2] {
			continue
		}
		if err := l.offerAgain(ctx, words[0]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		offered[words[0]] = words[2]
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
