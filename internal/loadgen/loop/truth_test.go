//go:build !race

// Whether the loop's clock tells the truth. Not under the race detector, which takes
// about as long between the clock and the send as the test allows, and not beside the
// tests of other packages: the Makefile runs it by itself.
package loop_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// capture reads the packets of a TCP port on the loopback device with the
// kernel's time stamps (packet(7), SO_TIMESTAMPNS) and pairs each request with
// the first packet of its answer.
type capture struct {
	fd   int
	port uint16
	from int64 // requests sent before are not those of the load
	mu   sync.Mutex
	open map[uint16]int64 // client's port -> time of its request
	took []int64
	stop chan struct{}
	done chan struct{}
}

func startCapture(t *testing.T, port int, from time.Time) *capture {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root: no packet capture")
	}
	protocol := int(binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, unix.ETH_P_IP)))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM, protocol)
	if err != nil {
		t.Skipf("no packet capture: %v", err)
	}
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: uint16(protocol), Ifindex: lo.Index}),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 512<<20),
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c := &capture{fd: fd, port: uint16(port), from: from.UnixNano(), open: map[uint16]int64{}, stop: make(chan struct{}), done: make(chan struct{})}
	go c.run()
	return c
}

func (c *capture) run() {
	defer close(c.done)
	packet, control := make([]byte, 65536), make([]byte, 256)
	for {
		select {
		case <-c.stop:
			return
		default:
		}
		// Nobody waits at the socket: to wake a reader for each packet takes the sender
		// microseconds between the packet's stamp and its way on to the loop.
		n, cn, _, from, err := unix.Recvmsg(c.fd, packet, control, unix.MSG_DONTWAIT)
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		// Loopback shows every packet twice; the incoming one is the later.
		if link, ok := from.(*unix.SockaddrLinklayer); !ok || link.Pkttype == unix.PACKET_OUTGOING {
			continue
		}
		c.packet(packet[:n], stamp(control[:cn]))
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

func (c *capture) packet(p []byte, at int64) {
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
	switch c.port {
	case to:
		if _, ok := c.open[from]; !ok && at >= c.from {
			c.open[from] = at
		}
	case from:
		if sent, ok := c.open[to]; ok {
			c.took = append(c.took, at-sent)
			delete(c.open, to)
		}
	}
}

// end stops the capture and returns the times of all pairs, in order of size.
func (c *capture) end() []int64 {
	time.Sleep(time.Second)
	close(c.stop)
	<-c.done
	unix.Close(c.fd)
	sort.Slice(c.took, func(i, j int) bool { return c.took[i] < c.took[j] })
	return c.took
}

// keepAwake runs a loop on every CPU that gives way to everything (sched(7),
// SCHED_IDLE). Between our clock, read before a send, and the packet's stamp lie 4 to
// 6 us of the kernel's own way; on a CPU that has just come back from idling they
// were 9 to 15 (virtual machine, Linux 6.18), which is the machine's and not ours.
func keepAwake(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		c := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		idle := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}
		if err := unix.SchedSetAttr(c.Process.Pid, &idle, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLatencyIsThatOfThePackets: what we say a statement took is what the packets
// say, within 2 % or 10 us at the median and the 99th percentile; in an open loop
// well below what the machine can do, and in a closed loop that saturates the server
// and in which our loop rests.
func TestLatencyIsThatOfThePackets(t *testing.T) {
	b := newBench(t, mysqldtest.Distributions(t)[0])
	keepAwake(t)
	b.prepare(t, small(1, 10000, 1))
	open := b.job(t, "oltp_point_select", small(1, 10000, 4))
	s := pace.Schedule{{Length: time.Minute, From: 800, To: 800}}
	open.Arrivals = func(part, of int) pace.Arrivals { return pace.Poisson(s, 1, part, of) }
	open.Time = 4 * time.Second
	agrees(t, b, "open loop", open)
	// Statements heavy enough for a capture in Go to keep up with; what it has not
	// read by the end waits in its socket's buffer.
	closed := b.job(t, "select_random_ranges", small(1, 10000, 64))
	closed.Time = time.Second
	agrees(t, b, "closed loop", closed)
}

// agrees compares, again if need be, until each percentile has been that of the packets
// once: a loop that something else on the machine keeps from its processor between the
// clock and the send is late by its own fault. A clock that is read at the wrong place
// is apart every time.
func agrees(t *testing.T, b *bench, name string, j *loop.Job) {
	t.Helper()
	const attempts = 6
	agreed := map[float64]bool{}
	var wrong []string
	for range attempts {
		wrong = compare(t, b, name, j, agreed)
		if agreed[50] && agreed[99] {
			return
		}
	}
	t.Errorf("%d times apart, at last: %s", attempts, strings.Join(wrong, "; "))
}

// compare says which percentiles of one run are not those of its packets, and marks
// those that are.
func compare(t *testing.T, b *bench, name string, j *loop.Job, agreed map[float64]bool) (wrong []string) {
	t.Helper()
	j.Loops = 1
	j.Start = time.Now().Add(2 * time.Second) // by then the connections are made
	c := startCapture(t, b.address.Port, j.Start)
	r := run(t, j)
	took := c.end()
	// The packets know of no window: what was answered after its end belongs here too.
	statement := r.Window.Statements[0]
	statement.Merge(r.Tail.Statements[0])
	if n := statement.Count(); float64(len(took)) < 0.98*float64(n) {
		return []string{fmt.Sprintf("%s: %d pairs captured of %d statements", name, len(took), n)}
	}
	for _, p := range []float64{50, 99} {
		wire := float64(took[int(p/100*float64(len(took)))])
		ours := float64(statement.Percentile(p))
		t.Logf("%s, p%v: packets %.1f us, ours %.1f us", name, p, wire/1000, ours/1000)
		if math.Abs(ours-wire) <= max(0.02*wire, 10000) {
			agreed[p] = true
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s, p%v: packets say %.1f us, we say %.1f us", name, p, wire/1000, ours/1000))
	}
	return wrong
}
