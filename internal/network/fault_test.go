package network

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"
)

// TestMemberFaults: a member that is cut off is reached by no other one and by all again
// afterwards, and the link that was slowed down has its rate back.
func TestMemberFaults(t *testing.T) {
	ctx := context.Background()
	n := built(t, Settings{Members: 3, Block: Block{Rate: 1e9}})
	serveIn(t, n.MemberNamespace(2), greet)
	reach := func() (err error) {
		return Inside(n.MemberNamespace(1), func() error {
			c, err := net.DialTimeout("tcp4", n.Members()[1]+":3306", 200*time.Millisecond)
			if err == nil {
				c.Close()
			}
			return err
		})
	}
	if err := n.CutOff(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if reach() == nil {
		t.Error("a member that is cut off is reached")
	}
	if err := n.Reconnect(ctx, 2); err != nil {
		t.Fatal(err)
	}
	greetingFrom(t, n.MemberNamespace(1), n.Members()[1])
	queue := func() string {
		facts := known(n.Facts(ctx))
		return facts["network.node-2.link.eth0.qdisc"] + ", " + facts["network.switch.link.to-node-2.qdisc"] + ", " + facts["network.node-3.link.eth0.qdisc"]
	}
	before := queue()
	if err := n.SlowDown(2, 1e6); err != nil {
		t.Fatal(err)
	}
	if now := queue(); strings.Count(now, "rate 1Mbit") != 2 || strings.Count(now, "rate 1Gbit") != 1 {
		t.Errorf("the slow link has %s", now)
	}
	if err := n.SpeedUp(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if now := queue(); now != before {
		t.Errorf("afterwards the link has %s, before %s", now, before)
	}
}

// TestTwoMembersFaults: of two nodes on one cable both directions are slowed down, and
// without a rate before there is none afterwards.
func TestTwoMembersFaults(t *testing.T) {
	n := built(t, Settings{Members: 2})
	queues := func() int {
		facts := known(n.Facts(context.Background()))
		return strings.Count(facts["network.node.link.eth0.qdisc"]+facts["network.node-2.link.eth0.qdisc"], "rate 1Mbit")
	}
	if err := n.SlowDown(1, 1e6); err != nil || queues() != 2 {
		t.Errorf("%d directions are slow, want 2 (error %v)", queues(), err)
	}
	if err := n.SpeedUp(context.Background(), 1); err != nil || queues() != 0 {
		t.Errorf("%d directions are slow afterwards (error %v)", queues(), err)
	}
}
