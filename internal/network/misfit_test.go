package network

import (
	"context"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// answer sends as many bytes as it is asked for with one.
func answer(size int) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			_, _ = c.Write(make([]byte, size)) // the client says what has come
		}
	}
}

// asked is how many bytes of an answer arrive within a time.
func asked(t *testing.T, n *Network, size int, within time.Duration) int64 {
	t.Helper()
	n.serve(t, answer(size))
	c := n.dial(t)
	if _, err := c.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	got, _ := io.Copy(io.Discard, c) // a deadline is what is looked for
	return got
}

// TestBlackHole: where the link holds less than the pods send and nobody says so, a
// small answer comes and of a large one nothing does; with ICMP it comes whole.
func TestBlackHole(t *testing.T) {
	off, on := false, true
	for _, c := range []struct {
		icmp   *bool
		size   int
		within time.Duration
		want   int64
	}{{&off, 500, enough, 500}, {&off, 1 << 16, time.Second, 0}, {&on, 1 << 16, enough, 1 << 16}} {
		n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "bridge", MTU: 1500, LinkMTU: 1400, ICMP: c.icmp}})
		if got := asked(t, n, c.size, c.within); got != c.want {
			t.Errorf("with icmp %t, of %d bytes %d came", *c.icmp, c.size, got)
		}
	}
}

// TestFragments: a tunnel whose packets do not fit the link cuts them up, which the
// counters of the nodes show and those of a tunnel that fits do not. That of VXLAN
// does not: the kernel tells the pod of the MTU that it needs (skb_tunnel_check_pmtu).
func TestFragments(t *testing.T) {
	for mtu, want := range map[int]bool{1500: true, 1472: false} {
		n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "bridge", Between: UDP, MTU: mtu, LinkMTU: 1500}})
		if got := asked(t, n, 1<<18, enough); got != 1<<18 {
			t.Errorf("MTU %d: %d bytes came", mtu, got)
		}
		facts := known(n.Counters())
		made, err := strconv.Atoi(facts["network.node.ip.fragments"])
		if err != nil || made > 0 != want {
			t.Errorf("MTU %d: %d fragments made, %v: %v", mtu, made, err, facts)
		}
	}
}

// TestDNS: the cluster's DNS answers a pod that it knows no such name, no sooner
// than it is told to.
func TestDNS(t *testing.T) {
	set := 30 * time.Millisecond
	n := built(t, Settings{Client: OtherPod, Block: Block{Plugin: "bridge", DNS: Delay(set)}})
	question := dnsmessage.Message{Header: dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("3.0.244.10.in-addr.arpa."), Type: dnsmessage.TypePTR, Class: dnsmessage.ClassINET}}}
	text, err := question.Pack()
	if err != nil {
		t.Fatal(err)
	}
	var c net.Conn
	err = Inside(n.ServerNamespace(), func() (err error) {
		c, err = net.Dial("udp4", n.Resolver()+":53")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	if _, err := c.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(enough)); err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 512)
	size, err := c.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	var reply dnsmessage.Message
	if err := reply.Unpack(in[:size]); err != nil || reply.ID != 7 || reply.RCode != dnsmessage.RCodeNameError || len(reply.Questions) != 1 {
		t.Errorf("%+v %v", reply, err)
	}
	if took := time.Since(began); took < set {
		t.Errorf("it answered after %s", took)
	}
	if _, err := noSuchName([]byte{1, 2, 3}); err == nil {
		t.Error("three bytes are taken for a question")
	}
}

// TestLegacyService: the rules in the kernel's older tables are counted there.
func TestLegacyService(t *testing.T) {
	n := built(t, Settings{Client: Host, Service: Service{Proxy: legacyProxy, Others: 20}})
	if got := known(n.Facts(context.Background()))["network.node.services"]; got != "21" {
		t.Errorf("%s Services", got)
	}
	n.serve(t, answer(5))
	c := n.dial(t)
	if _, err := c.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || len(got) != 5 {
		t.Errorf("%d bytes came, %v", len(got), err)
	}
}
