package network

// Loss and delay of the link as a socket of the sending node sees them: not at all, but by
// what comes back.

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// placements are the plugins with which client and server are in pods, and in their nodes' own
// namespaces.
func placements() map[string]string { return map[string]string{"pods": "ptp", "nodes": ""} }

// TestLoss: packets are lost and sent again, wherever the sockets are.
func TestLoss(t *testing.T) {
	for name, plugin := range placements() {
		t.Run(name, func(t *testing.T) {
			n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: plugin, Loss: 0.05}})
			n.serve(t, drain)
			c := n.dial(t)
			block := make([]byte, 1<<20)
			for sent := 0; info(t, c).Total_retrans == 0; sent++ {
				if sent == 256 { // 4,096 packets at least, as the stack hands them to the link
					t.Fatal("with a loss of 5 % no segment is sent again")
				}
				if _, err := c.Write(block); err != nil {
					t.Fatal(err)
				}
			}
			if rules := known(n.Facts(context.Background()))["network.node.link.eth0.rules"]; !strings.Contains(rules, "--mode random --probability 0.05") && !strings.Contains(rules, "--mode random --probability 0.0499") {
				t.Errorf("the rules are %s", rules)
			}
		})
	}
}

// TestLossIsNoError: the sender of a lost packet is told nothing.
func TestLossIsNoError(t *testing.T) {
	for name, plugin := range placements() {
		t.Run(name, func(t *testing.T) {
			n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: plugin, Loss: 0.5}})
			var c net.Conn
			err := Inside(n.ClientNamespace(), func() (err error) {
				c, err = net.Dial("udp4", fmt.Sprint(n.Server(), ":", Port))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			serveDatagrams(t, n)
			for range 100 {
				if _, err := c.Write([]byte("x")); err != nil {
					t.Fatalf("a lost packet is an error of its sender: %v", err)
				}
			}
		})
	}
}

// serveDatagrams opens the port, so that nobody answers that it is closed.
func serveDatagrams(t *testing.T, n *Network) {
	t.Helper()
	err := Inside(n.ServerNamespace(), func() error {
		l, err := net.ListenPacket("udp4", fmt.Sprint("0.0.0.0:", Port))
		if err == nil {
			t.Cleanup(func() { l.Close() })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDelayHoldsNoSender: packets that are on their way do not keep the socket from sending more
// (TCP Small Queues, which count packets that the sender has not sent yet, would allow about ten segments).
func TestDelayHoldsNoSender(t *testing.T) {
	for name, plugin := range placements() {
		t.Run(name, func(t *testing.T) {
			n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: plugin, Delay: Delay(20 * time.Millisecond)}})
			n.serve(t, drain)
			c := n.dial(t)
			block, most := make([]byte, 1<<18), uint32(0)
			for sent := 0; most < 300; sent++ {
				if sent == 64 {
					t.Fatalf("at most %d segments were on their way at once", most)
				}
				if _, err := c.Write(block); err != nil {
					t.Fatal(err)
				}
				most = max(most, info(t, c).Unacked)
			}
		})
	}
}
