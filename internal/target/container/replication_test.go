package container_test

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target/container"
	"github.com/tarebench/tare/internal/target/targettest"
)

// TestReplication: members in pods of nodes that a tunnel connects replicate, each in a pod
// of its own with the arm's limits.
func TestReplication(t *testing.T) {
	needRoot(t)
	t.Parallel()
	facts := targettest.Replicates(t, newTarget(t, container.Settings{
		QoS: node.Burstable, CPURequest: 100, Client: network.OtherNode, Network: &network.Block{Plugin: "bridge", Between: network.VXLAN},
		Replication: &replication.Settings{Mode: replication.SemiSync, Members: 2},
	}), targettest.WithCopies(t, targettest.Requests(t, mysqldtest.Flavour(t, mysqld.MariaDB))(), 2))
	for key, want := range map[string]string{
		"replication.member.1.semisync_replicas": "1", "replication.member.2.io_thread": "yes",
		"network.pod-2.link.eth0.address": "10.244.2.2/24", "network.node-2.link.flannel.1": "vxlan",
	} {
		if facts[key] != want {
			t.Errorf("%s is %q, want %q", key, facts[key], want)
		}
	}
	own := 0
	for key := range facts {
		if strings.HasPrefix(key, "replication.member.2.cgroup.container.cpu") {
			own++
		}
	}
	if own == 0 {
		t.Error("the second member's cgroup has no facts")
	}
}

// TestMembersShareTheMachine: the pods of all members have to fit.
func TestMembersShareTheMachine(t *testing.T) {
	s := container.Settings{Replication: &replication.Settings{Mode: replication.Async, Members: 4}, Exclusive: container.Override[node.CPU]{On: true}, QoS: node.Guaranteed}
	_, err := container.New(func(into any) error { *into.(*container.Settings) = s; return nil }, container.Env{})
	if err == nil || !strings.Contains(err.Error(), "exclusive: the members of a replicated database share the CPUs") {
		t.Errorf("exclusive CPUs for members: %v", err)
	}
	s.Exclusive = container.Override[node.CPU]{}
	capacity := node.Resources{CPU: 8000, Memory: 32 << 30}
	made, err := container.New(func(into any) error { *into.(*container.Settings) = s; return nil }, container.Env{Capacity: capacity})
	if err != nil {
		t.Fatal(err)
	}
	if limit := made.(*container.Container).CPULimit(); limit != 2000 {
		t.Errorf("one of 4 Guaranteed members has %v of 8 CPUs", limit)
	}
}
