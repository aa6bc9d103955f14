//go:build !race

// What the packets of a connection say of the time that its requests took, and what the
// kernel takes between a call of write and the packet: without a load generator.
package loop_test

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// capture reads the packets of a TCP port on the loopback device with the
// kernel's time stamps (packet(7), SO_TIMESTAMPNS) and pairs each request with
// the first packet of its answer. Like a capture at the client's network card it takes a
// request when it goes out and an answer when it comes in: loopback shows each packet twice,
// and a request comes in only when the kernel gets to it.
type capture struct {
	fd   int
	ip   uint16 // ETH_P_IP in network byte order
	port uint16
	from int64 // requests sent before are not those of the load
	mu   sync.Mutex
	open map[uint16]int64 // client's port -> time of its request
	took []int64
	sent []int64 // times of all requests, in nanoseconds of the wall clock
	stop chan struct{}
	done chan struct{}
}

func startCapture(t *testing.T, port int, from time.Time) *capture {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: no packet capture")
	}
	// Packets that go out are shown to those alone who want every protocol (packet(7)).
	protocol := int(binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, unix.ETH_P_ALL)))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM, protocol)
	if err != nil {
		t.Skipf("no packet capture: %v", err)
	}
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		ofPort(fd, port), // before it is bound, or packets of others are there already
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: uint16(protocol), Ifindex: lo.Index}),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 512<<20),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ip := binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, unix.ETH_P_IP))
	c := &capture{fd: fd, ip: ip, port: uint16(port), from: from.UnixNano(), open: map[uint16]int64{}, stop: make(chan struct{}), done: make(chan struct{})}
	go c.run()
	return c
}

// ofPort has the kernel drop the packets of other ports (packet(7), socket(7)): on a machine with other
// work on its loopback device, the reader would come late for its own.
func ofPort(fd, port int) error {
	accept, reject := bpf.RetConstant{Val: 1 << 16}, bpf.RetConstant{}
	raw, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadMemShift{Off: 0}, // X is the length of the IPv4 header
		bpf.LoadIndirect{Off: 0, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(port), SkipTrue: 2},
		bpf.LoadIndirect{Off: 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(port), SkipTrue: 1},
		accept, reject,
	})
	if err != nil {
		return err
	}
	var filter []unix.SockFilter
	for _, i := range raw {
		filter = append(filter, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
}

// run reads until it is to stop and nothing is left: a packet of the loopback device is in the
// socket before the system call that sent it returns.
func (c *capture) run() {
	defer close(c.done)
	packet, control := make([]byte, 65536), make([]byte, 256)
	for stopped := false; ; {
		// No thread waits at the socket: to wake a reader for each packet takes the sender
		// microseconds between the packet's stamp and its way on to the loop.
		n, cn, _, from, err := unix.Recvmsg(c.fd, packet, control, unix.MSG_DONTWAIT)
		if err != nil {
			if stopped {
				return
			}
			select {
			case <-c.stop:
				stopped = true
			case <-time.After(20 * time.Millisecond):
			}
			continue
		}
		if link, ok := from.(*unix.SockaddrLinklayer); ok && link.Protocol == c.ip {
			c.packet(packet[:n], stamp(control[:cn]), link.Pkttype == unix.PACKET_OUTGOING)
		}
	}
}

func stamp(control []byte) int64 {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0
	}
	for _, m := range messages {
		if m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			return (*unix.Timespec)(unsafe.Pointer(&m.Data[0])).Nano()
		}
	}
	return 0
}

func (c *capture) packet(p []byte, at int64, out bool) {
	if len(p) < 40 || p[9] != unix.IPPROTO_TCP {
		return
	}
	head := int(p[0]&15) * 4
	tcp := p[head:]
	from, to := binary.BigEndian.Uint16(tcp), binary.BigEndian.Uint16(tcp[2:])
	if size := int(binary.BigEndian.Uint16(p[2:])) - head - int(tcp[12]>>4)*4; size <= 0 {
		return // an acknowledgement alone
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case to == c.port && out:
		if _, ok := c.open[from]; !ok && at >= c.from {
			c.open[from] = at
			c.sent = append(c.sent, at)
		}
	case from == c.port && !out:
		if sent, ok := c.open[to]; ok {
			c.took = append(c.took, at-sent)
			delete(c.open, to)
		}
	}
}

// end stops the capture and returns the times of all pairs, in order of size.
func (c *capture) end() []int64 {
	close(c.stop)
	<-c.done
	unix.Close(c.fd)
	slices.Sort(c.took)
	return c.took
}

// bareSends is the kernel's own time between a clock that is read before write(2) and the
// packet's stamp, sorted, in nanoseconds: of a thread that does nothing else, at the rate of
// the load. It is 3 us on a CPU whose caches are warm, and 30 us at the 99th percentile of a
// virtual machine of two CPUs.
func bareSends(t *testing.T, n int, pause time.Duration) []int64 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go answerEach(l)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := startCapture(t, l.Addr().(*net.TCPAddr).Port, time.Now())
	called := make([]int64, n)
	request, answer := make([]byte, 30), make([]byte, 30)
	for i := range called {
		time.Sleep(pause)
		called[i] = time.Now().UnixNano()
		if _, err := conn.Write(request); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(answer); err != nil {
			t.Fatal(err)
		}
	}
	c.end()
	if len(c.sent) != n {
		t.Fatalf("%d requests captured of %d", len(c.sent), n)
	}
	for i, at := range c.sent {
		called[i] = at - called[i]
	}
	slices.Sort(called)
	return called
}

// answerEach answers what the listener's first connection is sent with the same.
func answerEach(l net.Listener) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.Copy(conn, conn)
}
