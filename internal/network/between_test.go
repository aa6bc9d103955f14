package network

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// TestBetween: by every backend and MTU the pods of two nodes reach each other, the
// kernel has the links, and the wire carries what the backend makes of a packet, no
// frame larger than its MTU.
func TestBetween(t *testing.T) {
	off := false
	for _, c := range []struct {
		backend string
		port    uint16 // of the UDP packets around the pods' own; 0 for none
		link    string
	}{{HostGW, 0, ""}, {VXLAN, vxlanPort, vxlanLink}, {UDP, relayPort, relayLink}} {
		for _, mtu := range []int{1450, 1500, 8950} {
			t.Run(fmt.Sprint(c.backend, "/", mtu), func(t *testing.T) {
				n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "bridge", Between: c.backend, MTU: mtu, Offload: &off}})
				n.serve(t, greet)
				if from := greeting(t, n.dial(t)); from != "10.244.1.2" {
					t.Errorf("the client comes from %s", from)
				}
				conn := n.dial(t)
				greeting(t, conn)
				heads, lengths := n.frames(t, otherNode, func() { echo(t, conn, 1<<18) })
				largest, around := 0, 0
				for i, l := range lengths {
					largest = max(largest, l)
					if c.port != 0 && udpPort(heads[i]) == c.port {
						around++
					}
				}
				if want := n.settings.linkMTU() + ethernetHeader; largest != want {
					t.Errorf("the largest of %d frames has %d bytes, want %d", len(lengths), largest, want)
				}
				if c.port != 0 && around < len(lengths)*9/10 {
					t.Errorf("%d of %d frames are UDP packets to port %d", around, len(lengths), c.port)
				}
				facts := known(n.Facts(context.Background()))
				if c.link != "" && facts["network.node.link."+c.link+".mtu"] != fmt.Sprint(mtu) {
					t.Errorf("the MTU of %s is %q", c.link, facts["network.node.link."+c.link+".mtu"])
				}
			})
		}
	}
}

// TestTunnelsOfTheKernel: what a kernel may lack either works, by its own
// packets, or is refused before anything starts, with what is missing.
func TestTunnelsOfTheKernel(t *testing.T) {
	for _, c := range []struct {
		backend, link, option string
		mtu                   int
	}{
		{IPIP, ipipLink, "CONFIG_NET_IPIP", 1480}, {Geneve, geneveLink, "CONFIG_GENEVE", 1450}, {WireGuard, wireguardLink, "CONFIG_WIREGUARD", 1440},
	} {
		t.Run(c.backend, func(t *testing.T) {
			s := Settings{Client: OtherNode, Block: Block{Plugin: "bridge", Between: c.backend}}
			if err := Check(context.Background(), s, nil); err != nil {
				if !strings.Contains(err.Error(), c.option) || !strings.Contains(err.Error(), "this kernel was built without it") {
					t.Errorf("%v\ndoes not say that the kernel lacks %s", err, c.option)
				}
				if left, _ := filepath.Glob(filepath.Join(namespaceDir, fmt.Sprintf("%s%d-*", trialPrefix, os.Getpid()))); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
				return
			}
			n := built(t, s)
			n.serve(t, greet)
			if from := greeting(t, n.dial(t)); from != "10.244.1.2" {
				t.Errorf("the client comes from %s", from)
			}
			if mtu := known(n.Facts(context.Background()))["network.node.link."+c.link+".mtu"]; mtu != fmt.Sprint(c.mtu) {
				t.Errorf("the MTU of %s is %q, want %d", c.link, mtu, c.mtu)
			}
		})
	}
}

// TestWireGuardPeers: each node has a key of its own, and takes from the other
// its pods' packets alone.
func TestWireGuardPeers(t *testing.T) {
	s := Settings{Client: OtherNode, Members: 2}
	keys := map[end]wgtypes.Key{}
	for _, e := range s.ends() {
		key, err := wgtypes.GeneratePrivateKey()
		if err != nil {
			t.Fatal(err)
		}
		keys[e] = key
	}
	own := s.ends()[0]
	got, err := peerConfig(keys, own, s.peers(own))
	if err != nil || len(got.Peers) != 2 {
		t.Fatal(got, err)
	}
	for i, want := range []string{"10.200.0.2:51820 [{10.244.1.0 ffffff00}]", "10.200.0.3:51820 [{10.244.2.0 ffffff00}]"} {
		peer, theirs := got.Peers[i], keys[s.peers(own)[i]]
		if *got.PrivateKey != keys[own] || peer.PublicKey != theirs.PublicKey() || peer.PublicKey == theirs {
			t.Error("the keys are mixed up")
		}
		if where := fmt.Sprint(peer.Endpoint, " ", peer.AllowedIPs); where != want {
			t.Errorf("the peer is at %s, want %s", where, want)
		}
	}
}

// echo sends bytes to a server that returns them, and waits for all.
func echo(t *testing.T, c net.Conn, size int) {
	t.Helper()
	go func() { _, _ = c.Write(make([]byte, size)) }()
	b := make([]byte, 1<<16)
	for got := 0; got < size; {
		k, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		got += k
	}
}

// udpPort is the port that a frame's UDP packet is for, 0 if it holds none.
func udpPort(frame []byte) uint16 {
	if len(frame) < ethernetHeader+28 || frame[12] != 8 || frame[13] != 0 || frame[ethernetHeader+9] != syscall.IPPROTO_UDP {
		return 0
	}
	return binary.BigEndian.Uint16(frame[ethernetHeader+20+2:])
}

// awaitStopped waits until no thread of a process runs any more: the signal is only
// on its way when kill returns, and a thread on another processor goes on meanwhile.
func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(threads) == 0 {
			t.Fatalf("threads of process %d: %v, %v", pid, threads, err)
		}
		if !slices.ContainsFunc(threads, runs) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d does not stop", pid)
		}
	}
}

// runs says whether a thread is not stopped (state T, proc_pid_stat(5)).
func runs(stat string) bool {
	b, err := os.ReadFile(stat)
	_, state, _ := strings.Cut(string(b), ") ") // no relay has a parenthesis in its name
	return err == nil && !strings.HasPrefix(state, "T")
}

// TestRelayIsUserSpace: while the relay's processes are stopped nothing arrives,
// and when they go on, it does.
func TestRelayIsUserSpace(t *testing.T) {
	n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "bridge", Between: UDP}})
	n.serve(t, greet)
	c := n.dial(t)
	greeting(t, c)
	signal := func(s syscall.Signal) {
		for _, h := range n.helpers {
			if err := h.cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	signal(syscall.SIGSTOP)
	for _, h := range n.helpers {
		awaitStopped(t, h.cmd.Process.Pid)
	}
	if _, err := c.Write([]byte("echo")); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if k, err := c.Read(make([]byte, 4)); err == nil {
		t.Errorf("%d bytes came past stopped processes", k)
	}
	signal(syscall.SIGCONT)
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 4)); err != nil {
		t.Errorf("nothing comes through processes that go on: %v", err)
	}
}
