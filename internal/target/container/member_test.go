package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// TestMemberOutOfMemory: the further member whose memory limit was reached says so, and the
// first, which ended by itself, does not.
func TestMemberOutOfMemory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	tree, err := node.NewTree(fmt.Sprintf("test-member-oom-%d", os.Getpid()), node.Resources{CPU: 1000, Memory: 1 << 40}, node.Resources{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tree.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := tree.Create(); err != nil {
		t.Fatal(err)
	}
	first := endedIn(t, tree, "", "server", "true")
	second := endedIn(t, tree, "replication.member.2.", "server-2", "tail /dev/zero")
	if err := first.Alive(); err == nil || errors.Is(err, target.ErrKilled) {
		t.Errorf("the first member: %v", err)
	}
	if err := second.Alive(); !errors.Is(err, target.ErrKilled) {
		t.Errorf("the second member: %v", err)
	}
}

// endedIn is a server of which only a script was run, in a pod of 16 MiB.
func endedIn(t *testing.T, tree *node.Tree, prefix, name, script string) *server {
	t.Helper()
	pod, err := tree.AddPod(name, prefix, node.Requirements{Limit: node.Resources{CPU: 1000, Memory: 16 << 20}}, node.Enforced{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "read go; exec "+script)
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	err = pod.Enter(cmd.Process.Pid)
	stdin.Close() // the script begins in the pod
	ended := make(chan struct{})
	close(ended)
	s := &server{tree: tree, pod: pod, log: &target.Tail{}, running: &running{cmd: cmd, ended: ended, err: cmd.Wait()}}
	if err != nil {
		t.Fatal(err)
	}
	return s
}
