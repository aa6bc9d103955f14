package network

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// TestMembers: whatever the network path between the nodes, every member reaches every
// other by its address, and is seen with its own address; so does a client on a node of its own.
func TestMembers(t *testing.T) {
	for _, c := range []struct {
		client, plugin, backend string
	}{{Socket, "", ""}, {OtherNode, "", ""}, {OtherNode, "bridge", HostGW}, {OtherNode, "bridge", VXLAN}, {OtherNode, "ptp", UDP}, {OtherPod, "bridge", VXLAN}} {
		t.Run(strings.Join([]string{c.client, c.plugin, c.backend}, "/"), func(t *testing.T) {
			n := built(t, Settings{Client: c.client, Members: 3, Block: Block{Plugin: c.plugin, Between: c.backend, Rate: 1e9}})
			if len(n.Members()) != 3 {
				t.Fatalf("the members are %v", n.Members())
			}
			for number := range n.Members() {
				serveIn(t, n.MemberNamespace(number+1), greet)
			}
			for from, own := range n.Members() {
				for to, address := range n.Members() {
					if got := greetingFrom(t, n.MemberNamespace(from+1), address); from != to && got != own {
						t.Errorf("member %d comes to member %d from %s, want %s", from+1, to+1, got, own)
					}
				}
			}
			if c.client != Socket {
				greetingFrom(t, n.ClientNamespace(), n.Server())
			}
			facts := known(n.Facts(context.Background()))
			for _, key := range []string{"network.node-3.link.eth0.qdisc", "network.switch.link.to-node-3.qdisc"} {
				if !strings.HasPrefix(facts[key], "tbf rate 1Gbit") {
					t.Errorf("%s is %q", key, facts[key])
				}
			}
		})
	}
}

// TestMembersOfTheKernel: a tunnel that the kernel has links all members, and one that it
// lacks is refused.
func TestMembersOfTheKernel(t *testing.T) {
	for _, backend := range []string{IPIP, Geneve, WireGuard} {
		t.Run(backend, func(t *testing.T) {
			s := Settings{Members: 3, Block: Block{Plugin: "bridge", Between: backend}}
			if err := Check(context.Background(), s, nil); err != nil {
				if !strings.Contains(err.Error(), "this kernel was built without it") {
					t.Error(err)
				}
				t.Skip(err)
			}
			n := built(t, s)
			for number := range n.Members() {
				serveIn(t, n.MemberNamespace(number+1), greet)
			}
			for from := range n.Members() {
				for _, address := range n.Members() {
					greetingFrom(t, n.MemberNamespace(from+1), address)
				}
			}
		})
	}
}

// greetingFrom is who a server says has come from a namespace.
func greetingFrom(t *testing.T, namespace, address string) string {
	t.Helper()
	var c net.Conn
	err := Inside(namespace, func() (err error) {
		c, err = net.DialTimeout("tcp4", fmt.Sprint(address, ":", Port), time.Minute)
		return err
	})
	if err != nil {
		t.Fatalf("connect to %s from %s: %v", address, namespace, err)
	}
	defer c.Close()
	return greeting(t, c)
}

// TestExchange: a round trip of requests and responses takes as long as the link's delays,
// and no member waits for another's end.
func TestExchange(t *testing.T) {
	n := built(t, Settings{Members: 3, Block: Block{Delay: Delay(5 * time.Millisecond)}})
	for _, to := range []int{2, 3} {
		rate, err := n.Exchange(t.Context(), 1, to, 100, 3000)
		if err != nil || rate <= 0 || rate > 100 {
			t.Errorf("member %d answers %v requests a second over 10 ms (error %v)", to, rate, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := n.Exchange(ended, 1, 2, 100, 100); err == nil {
		t.Error("exchanges with a context that is done")
	}
}
