package runner

import (
	"context"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestSides: servers and load generators are on tare's machine if their kernels have its boot id. Nodes that share a
// kernel with it, as containers and network namespaces do, are this machine; a machine of the same name in another
// cluster, and one that does not tell, are not.
func TestSides(t *testing.T) {
	const own, other = "11-11", "22-22"
	for _, c := range []struct {
		name         string
		sides        sides
		server, load string // "" is unknown
	}{
		{"process of this machine", sides{own: own, local: true}, "here", "here"},
		{"pod of a node that shares the kernel, load by tare", sides{own: own, told: map[string]string{"node.boot_id": own}}, "here", "here"},
		{"pod elsewhere, load by tare", sides{own: own, told: map[string]string{"node.boot_id": other}}, "elsewhere", "here"},
		{"pod and load elsewhere", sides{own: own, generators: 1, told: map[string]string{"node.boot_id": other, "load.pod.0.boot_id": other}}, "elsewhere", "elsewhere"},
		{"one of two generators here", sides{own: own, generators: 2, told: map[string]string{"node.boot_id": other, "load.pod.0.boot_id": other, "load.pod.1.boot_id": own}}, "elsewhere", "here"},
		{"one of two generators does not tell", sides{own: own, generators: 2, told: map[string]string{"node.boot_id": other, "load.pod.0.boot_id": other}}, "elsewhere", ""},
		{"nodes may not be read, load pod beside the server", sides{own: own, generators: 1, sameNodes: true,
			told: map[string]string{"pod.node": "n1", "load.pod.0.node": "n1", "load.pod.0.boot_id": own}}, "here", "here"},
		{"nodes may not be read, load pod on another node", sides{own: own, generators: 1, sameNodes: true,
			told: map[string]string{"pod.node": "n1", "load.pod.0.node": "n2", "load.pod.0.boot_id": own}}, "", "here"},
		{"a node of the same name in another cluster", sides{own: own, generators: 1,
			told: map[string]string{"pod.node": "n1", "load.pod.0.node": "n1", "load.pod.0.boot_id": own}}, "", "here"},
		{"load in the server's pod", sides{own: own, generators: 1, told: map[string]string{"load.client": "socket", "load.pod.0.boot_id": other}}, "elsewhere", "elsewhere"},
		{"tare's kernel does not tell", sides{generators: 1, told: map[string]string{"node.boot_id": other, "load.pod.0.boot_id": other}}, "", ""},
		{"neither tells", sides{generators: 1, own: own}, "", ""},
		{"running server by a loopback address", sides{own: own, address: "127.0.0.1"}, "", "here"},
		{"running server elsewhere", sides{own: own, address: "192.0.2.7"}, "elsewhere", "here"},
	} {
		server, load := c.sides.server(context.Background()), c.sides.load()
		for _, f := range []record.Fact{server, load} {
			if (f.Value == "") != (f.Unknown != "") {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if server.Value != c.server || load.Value != c.load {
			t.Errorf("%s: server %q (%s), load %q (%s)", c.name, server.Value, server.Unknown, load.Value, load.Unknown)
		}
	}
}

// TestOthersUnseen: in a container, what the machine used without tare's processes has the trial's own servers and
// load pods in it, and is no time of others.
func TestOthersUnseen(t *testing.T) {
	got := withoutOthers([]record.Fact{{Key: "gate.machine_s", Value: "5.00"}, {Key: "gate.foreign_s", Value: "3.00"}})
	if got[0].Value != "5.00" || got[1].Value != "" || got[1].Unknown == "" {
		t.Errorf("%+v", got)
	}
}

// TestOwnAmongOthers: from a pod that may not read the boot id of the server's node, what the machine used is not the time
// of others: most of it is the trial's own server.
func TestOwnAmongOthers(t *testing.T) {
	here, elsewhere, unknown := record.Fact{Value: record.Here}, record.Fact{Value: record.Elsewhere}, record.Fact{Unknown: "the boot id may not be read"}
	for _, c := range []struct {
		name         string
		server, load record.Fact
		seen         bool
		generators   int
		want         bool
	}{
		{"a server that tare started", here, here, true, 0, false},
		{"a pod on this machine", here, here, false, 0, true},
		{"a pod that may be on this machine", unknown, here, false, 0, true},
		{"a pod on another machine", elsewhere, here, false, 0, false},
		{"load pods that may be on this machine", elsewhere, unknown, false, 2, true},
		{"load pods on another machine", elsewhere, elsewhere, false, 2, false},
	} {
		if got := ownAmongOthers(c.server, c.load, c.seen, c.generators); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
