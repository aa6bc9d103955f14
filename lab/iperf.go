// Throughput between pods, by iperf3: a figure to set beside a database's.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// iperf runs iperf3's server in a pod of the second node and its client in a pod of
// the first, and prints what the client says. The program is this machine's, in the
// network namespaces of pods that do nothing: it takes no image.
func iperf(ctx context.Context, l *lab, args []string) error {
	if len(args) < 2 {
		return errors.New("write lab iperf n1 n2 [" + secondName + "] [ARG...]: from a pod of n1 to a pod of n2, or between their second interfaces, with more of iperf3's arguments")
	}
	nodes, args := args[:2], args[2:]
	link := "eth0"
	if len(args) > 0 && args[0] == secondName {
		link, args = args[0], args[1:]
	}
	if _, err := exec.LookPath("iperf3"); err != nil {
		return fmt.Errorf("measure throughput: %w", err)
	}
	var ends [2]*end
	for i := range ends {
		n, err := findNode(nodes[i])
		if err != nil {
			return err
		}
		ends[i] = &end{name: []string{"iperf-from", "iperf-to"}[i], node: n}
		defer l.removeEnd(ends[i])
		if err := l.startEnd(ctx, ends[i], link); err != nil {
			return err
		}
	}
	stop, err := ends[1].serve(ctx)
	if err != nil {
		return err
	}
	defer stop()
	c := ends[0].iperf(ctx, append([]string{"--client", ends[1].address}, args...)...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("measure throughput: %w", err)
	}
	return nil
}

// end is a pod at one end of the way.
type end struct {
	name    string
	node    node
	address string
	pid     string // of a process in the pod, as this machine numbers it
}

// startEnd starts the pod, and finds it among this machine's processes by its cgroup.
func (l *lab) startEnd(ctx context.Context, e *end, link string) error {
	pod := fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: %s, annotations: {%s: 'yes'}}, spec: {nodeName: %s, terminationGracePeriodSeconds: 0, containers: [{name: pause, image: %q}]}}",
		e.name, secondWish, e.node.name, pauseImage)
	if _, err := l.kubectl(ctx, pod, "apply", "-f", "-"); err != nil {
		return err
	}
	if _, err := l.kubectl(ctx, "", "wait", "pod/"+e.name, "--for=condition=Ready", "--timeout=60s"); err != nil {
		return err
	}
	uid, err := l.kubectl(ctx, "", "get", "pod", e.name, "-o", "jsonpath={.metadata.uid}")
	if err != nil {
		return err
	}
	if e.pid, err = inCgroup("pod" + uid); err != nil {
		return err
	}
	// Words 3 and 4 of the line: inet ADDRESS/LENGTH.
	said, err := output(exec.CommandContext(ctx, "nsenter", "--net=/proc/"+e.pid+"/ns/net", "--", "ip", "-4", "-oneline", "address", "show", link))
	if err != nil {
		return err
	}
	words := strings.Fields(said)
	if len(words) < 4 {
		return fmt.Errorf("find the address of %s in pod %s: ip printed %q", link, e.name, said)
	}
	e.address, _, _ = strings.Cut(words[3], "/")
	return nil
}

func (l *lab) removeEnd(e *end) {
	_, _ = l.kubectl(context.Background(), "", "delete", "pod", e.name, "--ignore-not-found", "--wait") // the lab's own end removes it too
}

// inCgroup finds a process with a cgroup of that name on its path.
func inCgroup(name string) (string, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return "", fmt.Errorf("look for processes: %w", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "/"+name+"/") { // or it has ended meanwhile
			return filepath.Base(filepath.Dir(file)), nil
		}
	}
	return "", fmt.Errorf("find a process of %s: there is none", name)
}

func (e *end) iperf(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "nsenter", append([]string{"--net=/proc/" + e.pid + "/ns/net", "--", "iperf3"}, args...)...)
}

// serve returns when the server listens; it ends with its first client, or by stop.
func (e *end) serve(ctx context.Context) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	c := e.iperf(ctx, "--server", "--one-off", "--forceflush")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start iperf3's server: %w", err)
	}
	stop = func() {
		cancel()
		_ = c.Wait() // what it measured is the client's to tell
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Server listening") {
			return stop, nil
		}
	}
	stop()
	return nil, errors.New("start iperf3's server: it has ended")
}
