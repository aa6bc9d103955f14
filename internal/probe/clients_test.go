package probe

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
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
	for range 2 { // a share of the time is that since the reading before
		if err := read(t.Context(), func(name string, v float64) { values[name] = v }); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{ClientConnections, ClientsHere, ClientPeriods, ClientThrottled, ClientBusiest, ClientWaiting} {
		if _, ok := values[name]; !ok {
			t.Errorf("%s was not read: %v", name, values)
		}
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
