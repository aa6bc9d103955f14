package probe

import (
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/vishvananda/netlink"
)

// TestUnanswered: only a connection on which a later segment arrived and the ones before it
// never do counts as one that loses its large segments.
func TestUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		info netlink.TCPInfo
		want bool
	}{
		"black hole":      {netlink.TCPInfo{Unacked: 9, Sacked: 1, Retransmits: 5}, true},
		"at the limit":    {netlink.TCPInfo{Unacked: 2, Sacked: 1, Retransmits: 3}, true},
		"one loss":        {netlink.TCPInfo{Unacked: 9, Sacked: 1, Retransmits: 1}, false},
		"the peer is off": {netlink.TCPInfo{Unacked: 9, Retransmits: 8}, false},
		"one segment":     {netlink.TCPInfo{Unacked: 1, Sacked: 1, Retransmits: 8}, false},
		"under way":       {netlink.TCPInfo{Unacked: 9}, false},
	} {
		if got := (connection{info: c.info}).unanswered(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTunnelPacket: a full segment of a connection that sends such is its path's packet and
// what the tunnel adds; elsewhere it is nothing.
func TestTunnelPacket(t *testing.T) {
	large := netlink.TCPInfo{Pmtu: 1500, Snd_mss: 1448, Bytes_sent: 900_000, Data_segs_out: 1000}
	small := netlink.TCPInfo{Pmtu: 1500, Snd_mss: 1448, Bytes_sent: 200_000, Data_segs_out: 1000}
	vxlan := func(mtu int) netlink.Link { return &netlink.Vxlan{LinkAttrs: netlink.LinkAttrs{MTU: mtu}} }
	for name, c := range map[string]struct {
		info netlink.TCPInfo
		link netlink.Link
		want int
	}{
		"tunnel as wide as its link": {large, vxlan(1500), 1550},
		"tunnel that fits":           {large, vxlan(1450), 1500},
		"small results":              {small, vxlan(1500), 0},
		"nothing sent":               {netlink.TCPInfo{Pmtu: 1500, Snd_mss: 1448}, vxlan(1500), 0},
		"no tunnel":                  {large, &netlink.Veth{LinkAttrs: netlink.LinkAttrs{MTU: 1500}}, 0},
		"no route":                   {large, nil, 0},
	} {
		if got := (connection{info: c.info}).packet(c.link); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

// TestConnections: the kernel tells of the connections at a port, and of no others.
func TestConnections(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: a network namespace is entered")
	}
	at, other := listening(t), listening(t)
	for range 3 {
		connected(t, at)
	}
	connected(t, other)
	all, err := Place{Root: os.DirFS("/"), PID: os.Getpid()}.connections(at.Addr().(*net.TCPAddr).Port)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("%d connections", len(all))
	}
	for _, c := range all {
		if !c.peer.Equal(net.IPv4(127, 0, 0, 1)) || c.info.Snd_mss == 0 || c.info.Pmtu == 0 {
			t.Errorf("%+v", c)
		}
	}
}

// TestNodeProcess: the node of a process in a network namespace of its own is where the other
// end of its interface is.
func TestNodeProcess(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: a network namespace is made")
	}
	pod := exec.CommandContext(t.Context(), "cat") // until its input ends
	pod.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	in, err := pod.StdinPipe()
	if err == nil {
		err = pod.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = pod.Wait() })
	place := Place{Root: os.DirFS("/"), PID: pod.Process.Pid}
	if _, err := place.nodeProcess(); err == nil {
		t.Error("a namespace without an interface has a node")
	}
	// The kernel names the end here; the link goes with the namespace.
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "tarep%d"
	if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "eth0", PeerNamespace: netlink.NsPid(place.PID)}); err != nil {
		t.Fatal(err)
	}
	node, err := place.nodeProcess()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := namespaceOf(t, node), namespaceOf(t, os.Getpid()); got != want {
		t.Errorf("the node's namespace is %s, want %s", got, want)
	}
}

func namespaceOf(t *testing.T, pid int) string {
	t.Helper()
	ns, err := os.Readlink("/" + Place{PID: pid}.proc("ns/net"))
	if err != nil {
		t.Fatal(err)
	}
	return ns
}

func listening(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// connected is a connection that the listener has accepted and answered.
func connected(t *testing.T, l net.Listener) {
	t.Helper()
	client, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	if _, err := server.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}
