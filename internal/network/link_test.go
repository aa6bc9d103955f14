package network

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// drain is a server that reads and says nothing.
func drain(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// goodput sends for a time from the client to the server and returns the bits a
// second that were acknowledged.
func goodput(t *testing.T, c *net.TCPConn, during time.Duration) float64 {
	t.Helper()
	// The kernel's default congestion control paces by its own estimate; cubic fills
	// the link.
	control(t, c, func(fd int) error { return unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "cubic") })
	go func() {
		block := make([]byte, 1<<18)
		for {
			if _, err := c.Write(block); err != nil {
				return
			}
		}
	}()
	acked := func() uint64 { return info(t, c).Bytes_acked }
	time.Sleep(during / 4) // the buckets are full at first
	begun := time.Now()    // before the counter, so that a pause between the two makes the rate lower
	from := acked()
	time.Sleep(during)
	bits := 8 * float64(acked()-from) / time.Since(begun).Seconds()
	c.Close()
	return bits
}

func info(t *testing.T, c *net.TCPConn) *unix.TCPInfo {
	t.Helper()
	var i *unix.TCPInfo
	control(t, c, func(fd int) (err error) {
		i, err = unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		return err
	})
	return i
}

func control(t *testing.T, c *net.TCPConn, f func(fd int) error) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil || inner != nil {
		t.Fatal(err, inner)
	}
}

// idle is the CPU time that nobody has used since the machine started, of all CPUs (proc_uptime(5)).
func idle(t *testing.T) time.Duration {
	t.Helper()
	b, err := os.ReadFile("/proc/uptime")
	if err != nil {
		t.Fatal(err)
	}
	var up, unused float64
	if _, err := fmt.Sscan(string(b), &up, &unused); err != nil {
		t.Fatal(err)
	}
	return time.Duration(unused * 1e9)
}

// fullest is the largest part of its rate that the link carries in a window. Others may take the
// CPU time that a full link needs, and nothing that TCP counts shows it. So a window is one of the
// 20 tries only where half a CPU was idle in it. Where 20 do not come within a minute and no window
// was full, it is not known whether the link carries more.
func fullest(t *testing.T, n *Network, rate Rate) (part float64, known bool) {
	t.Helper()
	tries := 0
	for end := time.Now().Add(time.Minute); tries < 20 && part < 0.95 && time.Now().Before(end); {
		c, began, unused := n.dial(t), time.Now(), idle(t)
		got := goodput(t, c, 800*time.Millisecond) * 1514 / 1448
		unused, took := idle(t)-unused, time.Since(began)
		t.Logf("%.4g bit/s, %s of CPU time idle in %s", got, unused, took)
		part = max(part, got/float64(rate))
		if unused > took/2 {
			tries++
		}
	}
	return part, part >= 0.95 || tries == 20
}

// TestRate: a link holds its rate within 5 %. What is counted is payload: of
// each frame's 1514 bytes, 1448 (TCP with time stamps).
func TestRate(t *testing.T) {
	for _, c := range []struct {
		qdisc, want string
		rate        Rate
	}{
		{"", "tbf rate 100Mbit limit ", 1e8}, {"", "tbf rate 1Gbit limit ", 1e9},
		{HTB, "htb rate 100Mbit ceil 100Mbit", 1e8}, {HTB, "htb rate 1Gbit ceil 1Gbit", 1e9},
	} {
		rate := c.rate
		t.Run(c.qdisc+rate.String(), func(t *testing.T) {
			n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "ptp", Rate: rate, Qdisc: c.qdisc}})
			n.serve(t, drain)
			// A busy machine may not fill the link; it must never carry more.
			if best, known := fullest(t, n, rate); known && best < 0.95 || best > 1.05 {
				t.Errorf("a link of %v carries %.3f of that", rate, best)
			}
			facts := known(n.Facts(context.Background()))
			for _, name := range n.nodes() {
				if q := facts["network."+name+".link.eth0.qdisc"]; !strings.HasPrefix(q, c.want) {
					t.Errorf("%s queues by %q, want %q", name, q, c.want)
				}
			}
		})
	}
}

// TestTenGigabit: the fastest link that is worth setting is set, and read back.
// Whether the machine can fill it is another matter.
func TestTenGigabit(t *testing.T) {
	n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "ptp", Rate: 10e9}})
	n.serve(t, drain)
	got := goodput(t, n.dial(t), time.Second) * 1514 / 1448
	t.Logf("%.4g bit/s", got)
	if got > 10.5e9 {
		t.Errorf("a link of 10 Gbit/s carries %.4g bit/s", got)
	}
	if q := known(n.Facts(context.Background()))["network.node.link.eth0.qdisc"]; !strings.HasPrefix(q, "tbf rate 10Gbit") {
		t.Errorf("it queues by %q", q)
	}
}

// rtt is the smoothed round trip time of some questions and answers.
func rtt(t *testing.T, n *Network) time.Duration {
	t.Helper()
	n.serve(t, greet)
	c := n.dial(t)
	for range 50 {
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 64)); err != nil {
			t.Fatal(err)
		}
	}
	return time.Duration(info(t, c).Rtt) * time.Microsecond
}

// TestDelay: a delay in each direction makes a round trip longer by both.
func TestDelay(t *testing.T) {
	set := 5 * time.Millisecond
	n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "ptp", Delay: Delay(set)}})
	got := rtt(t, n)
	t.Logf("round trip %s", got)
	if got < 2*set {
		t.Errorf("with %s in each direction a round trip takes %s", set, got)
	}
	if rules := known(n.Facts(context.Background()))["network.node.link.eth0.rules"]; !strings.Contains(rules, "-j NFQUEUE --queue-num 1") {
		t.Errorf("the rules are %s", rules)
	}
}

// frames captures what a node's link carries while f runs (packet(7)), and
// returns the frames, cut to their headers, with their whole lengths.
func (n *Network) frames(t *testing.T, name string, f func()) (heads [][]byte, lengths []int) {
	t.Helper()
	fd := -1
	err := Inside(n.path(name), func() error {
		all := binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, unix.ETH_P_ALL))
		link, err := net.InterfaceByName(uplink)
		if err != nil {
			return err
		}
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(all)); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: link.Index})
	})
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	f()
	buffer := make([]byte, 128)
	for {
		// MSG_TRUNC returns the whole length (packet(7)).
		size, _, err := unix.Recvfrom(fd, buffer, unix.MSG_DONTWAIT|unix.MSG_TRUNC)
		if err != nil {
			return heads, lengths
		}
		heads, lengths = append(heads, append([]byte(nil), buffer[:min(size, len(buffer))]...)), append(lengths, size)
	}
}

// ethernetHeader is what a frame has before its packet.
const ethernetHeader = 14

// TestMTUOnTheWire: without offload the largest frame that the link carries is
// that of the MTU, whatever the pods send.
func TestMTUOnTheWire(t *testing.T) {
	off := false
	for _, mtu := range []int{1450, 1500, 8950} {
		n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "ptp", MTU: mtu, Offload: &off}})
		n.serve(t, drain)
		c := n.dial(t)
		_, lengths := n.frames(t, otherNode, func() {
			if _, err := c.Write(make([]byte, 1<<20)); err != nil {
				t.Error(err)
			}
		})
		largest := 0
		for _, l := range lengths {
			largest = max(largest, l)
		}
		if want := mtu + ethernetHeader; largest != want {
			t.Errorf("with an MTU of %d the largest of %d frames has %d bytes, want %d", mtu, len(lengths), largest, want)
		}
		if got := known(n.Facts(context.Background()))["network.node.link.eth0.offload"]; got != "tcp false, generic false" {
			t.Errorf("offload is %s", got)
		}
	}
}

// TestPackets: the numbers of packets are found among whatever else a message
// holds.
func TestPackets(t *testing.T) {
	header := attribute(packetHeader, []byte{0, 0, 0, 7, 8, 0, 4})
	one := message(queuePacket, 0, 1, append(attribute(9, []byte{1, 2, 3}), header...))
	got := packets(append(append([]byte(nil), one...), one...))
	if len(got) != 2 || got[0] != 7 || got[1] != 7 {
		t.Errorf("found %v, want 7 and 7", got)
	}
}

// FuzzPackets: no message of the kernel makes the reader panic or hang.
func FuzzPackets(f *testing.F) {
	f.Add(message(queuePacket, 0, 1, attribute(packetHeader, []byte{0, 0, 0, 7, 8, 0, 4})))
	f.Add([]byte{20, 0, 0, 0})
	f.Fuzz(func(_ *testing.T, b []byte) { packets(b) })
}
