package probe

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/tarebench/tare/internal/keys"

	"github.com/google/go-cmp/cmp"
)

// helperVariable has the addresses that the test program connects to as a client.
const helperVariable = "TARE_TEST_CLIENT_OF"

// TestMain makes a client of this program: it connects, says so, and uses a CPU until its
// input ends.
func TestMain(m *testing.M) {
	addresses := os.Getenv(helperVariable)
	if addresses == "" {
		os.Exit(m.Run())
	}
	for _, a := range strings.Fields(addresses) {
		kind, at, _ := strings.Cut(a, ",")
		if _, err := net.Dial(kind, at); err != nil {
			os.Exit(1)
		}
	}
	if _, err := os.Stdout.WriteString("connected\n"); err != nil {
		os.Exit(1)
	}
	var ended atomic.Bool
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); ended.Store(true) }()
	for !ended.Load() { // on a CPU all the time, as a saturated client is
	}
	os.Exit(0)
}

// TestClients: the processes at the other ends of a server's Unix and TCP connections are
// found, and the busiest thread among them; what the server itself connects to is no client.
func TestClients(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: network namespaces are entered")
	}
	socket := filepath.Join(t.TempDir(), "s")
	local, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { local.Close() })
	// Sockets that are no streams are in the kernel's list too, some before these.
	for i := range 64 {
		other, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: fmt.Sprintf("%s%d", socket, i), Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { other.Close() })
	}
	accept := func(l net.Listener) {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { c.Close() })
	}
	client := exec.CommandContext(t.Context(), os.Args[0])
	client.Env = append(os.Environ(), helperVariable+"=unix,"+socket+" unix,"+socket)
	in, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = client.Wait() })
	accept(local)
	accept(local)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	p := Place{Root: os.DirFS("/"), PID: os.Getpid()} // this program is the server
	found, err := p.clients()
	if err != nil {
		t.Fatal(err)
	}
	if found.connections != 2 || found.here != 2 || !slices.Equal(found.pids, []int{client.Process.Pid}) {
		t.Errorf("%+v, want 2 connections of process %d", found, client.Process.Pid)
	}
	read, err := clients().Start(p)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for range 2 { // times are those since the first reading
		if err := read(t.Context(), func(name string, v float64) { values[name] = v }); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{keys.ClientsConnections, keys.ClientsHere, keys.ClientsNrPeriods, keys.ClientsNrThrottled, keys.ClientsBusiestRunNS, keys.ClientsBusiestWaitNS} {
		if _, ok := values[name]; !ok {
			t.Errorf("%s was not read: %v", name, values)
		}
	}
}

// TestClientsTakeTurns: of nested quotas the one that throttles most counts, and of threads that
// are busy one after the other the one with most time on a CPU.
func TestClientsTakeTurns(t *testing.T) {
	c := &clientLoad{clients: foundClients{pids: []int{7}}, groups: []string{"pod", "pod/container"}, quotas: map[string]periods{}, threads: map[string]ran{}}
	values := map[string]float64{}
	for second := range 11 {
		ns := func(busy int) string {
			return fmt.Sprintf("%d %d 1", 1000_000_000_000+1_000_000_000*busy, 200_000_000*busy)
		}
		file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
		c.place.Root = fstest.MapFS{
			"pod/cpu.stat":            file(fmt.Sprintf("nr_periods %d\nnr_throttled 30\n", 500+10*second)),
			"pod/container/cpu.stat":  file(fmt.Sprintf("nr_periods %d\nnr_throttled %d\n", 100+10*second, 20+4*second)),
			"proc/7/task/7/schedstat": file(ns((second + 1) / 2)), "proc/7/task/8/schedstat": file(ns(second / 2)), // busy in turn
		}
		if err := c.read(t.Context(), func(name string, v float64) { values[name] = v }); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]float64{keys.ClientsConnections: 0, keys.ClientsHere: 0, keys.ClientsNrPeriods: 100, keys.ClientsNrThrottled: 40, keys.ClientsBusiestRunNS: 5e9, keys.ClientsBusiestWaitNS: 1e9}
	if d := cmp.Diff(want, values); d != "" {
		t.Error(d)
	}
}

// TestOverTCP: the client's end of a connection is found by its address, and that of the
// server is not.
func TestOverTCP(t *testing.T) {
	l := listening(t)
	connected(t, l)
	all, err := Place{Root: os.DirFS("/"), PID: os.Getpid()}.connections(l.Addr().(*net.TCPAddr).Port)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v: %v", all, err)
	}
	peers := map[endpoint]bool{endpointOf(all[0].peer, all[0].port): true}
	ends := overTCP(peers, true)
	if len(ends) != 1 {
		t.Fatalf("%v", ends)
	}
	if elsewhere := overTCP(peers, false); len(elsewhere) != 0 {
		t.Errorf("the loopback address of another namespace has %v", elsewhere)
	}
}
