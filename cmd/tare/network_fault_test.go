package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// badPath is a TCP proxy before a server: the network path that a test breaks.
type badPath struct {
	listener net.Listener
	mu       sync.Mutex
	to       string // the server; "" refuses
	mute     bool   // nothing is passed on any more, and no connection ends
	open     []net.Conn
}

func newBadPath(t *testing.T, to string) *badPath {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &badPath{listener: l, to: to}
	t.Cleanup(func() {
		l.Close()
		p.set("", false)
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.take(c)
		}
	}()
	return p
}

// set changes where the path leads and breaks every connection; mute leaves them open and
// passes nothing on.
func (p *badPath) set(to string, mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to, p.mute = to, mute
	if mute {
		return
	}
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// take connects a client, or keeps it waiting where the path is mute.
func (p *badPath) take(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, c)
	if p.mute {
		return
	}
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		_ = c.(*net.TCPConn).SetLinger(0) // refused
		c.Close()
		return
	}
	p.open = append(p.open, server)
	go p.pass(server, c)
	go p.pass(c, server)
}

func (p *badPath) pass(to, from net.Conn) {
	for b := make([]byte, 1<<15); ; {
		n, err := from.Read(b)
		if p.muted() {
			return // and the connection stays: half-open
		}
		if err == nil {
			_, err = to.Write(b[:n])
		}
		if err != nil {
			to.Close()
			from.Close()
			return
		}
	}
}

func (p *badPath) muted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mute
}

const badPathSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: path}
data: {tables: 1, rows: 200}
load: {engine: tare, workload: oltp_point_select, threads: 2, rate: 200/s}
protocol: {rounds: 2, warmup: 0s, measure: 5s, ready: 60s, aa: false}
baseline: a
arms:
  a: {target: external, host: 127.0.0.1, port: %[1]d, user: tare, passwordFile: %[2]s, shared: true}
  b: {target: external, host: 127.0.0.1, port: %[1]d, user: tare, passwordFile: %[2]s, shared: true}
`

// testNetworkFaults breaks the path to the server in three trials of four. Each ends within
// a limit, as server-lost with what was seen; the fourth is measured, and the rows of the
// server are there.
func testNetworkFaults(t *testing.T, s *theirs) {
	login := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(login, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("127.0.0.1:%d", s.port)
	path := newBadPath(t, at)
	faults := map[int]struct {
		says string
		do   func()
	}{
		1: {"does not answer", func() { path.set("", false) }},
		2: {"does not answer", func() { path.set(at, true) }},
	}
	if other := otherServer(t); other != "" {
		faults[3] = struct {
			says string
			do   func()
		}{"has no schema tare_bench: it is another server", func() { path.set(other, false) }}
	}
	_, run := faultsInTime(t, func() string {
		job := assembled(t, fmt.Appendf(nil, badPathSpec, path.listener.Addr().(*net.TCPAddr).Port, login), filepath.Join(t.TempDir(), "run"))
		var once [5]sync.Once
		job.Observe = func(p runner.Progress) {
			fault, due := faults[p.Trial.Number]
			switch {
			case p.Kind == runner.Second && due:
				once[p.Trial.Number].Do(fault.do)
			case p.Kind == runner.Phase && p.Phase == "stop":
				path.set(at, false)
			}
		}
		if err := runner.Run(t.Context(), job); err != nil {
			t.Error(err)
		}
		return job.Dir
	}, func(trial int) bool { _, broken := faults[trial]; return broken })
	if len(run.Trials) != 4 {
		t.Fatalf("%d trials", len(run.Trials))
	}
	for _, trial := range run.Trials {
		fault, broken := faults[trial.Header.Trial]
		t.Logf("trial %d: %s %s, events %v", trial.Header.Trial, trial.End.Duration, trial.End.Reason, trial.Events)
		if !broken && trial.End.Outcome != record.Measured {
			t.Errorf("trial %d, whose path was not broken: %+v", trial.Header.Trial, trial.End)
		}
		if broken && (trial.End.Outcome != record.ServerLost || !strings.Contains(trial.End.Reason, fault.says)) {
			t.Errorf("trial %d is to say %q: %+v", trial.Header.Trial, fault.says, trial.End)
		}
	}
	if n := s.schemas(t); n != 0 {
		t.Errorf("%d schemas are left", n)
	}
}

// otherServer is the address of another server with the same account, "" where this machine
// has none: what a failover leads to.
func otherServer(t *testing.T) string {
	t.Helper()
	for _, d := range mysqldtest.Distributions(t) {
		if d.Flavour != mysqld.MariaDB {
			continue
		}
		server := mysqldtest.StartTCP(t, d, map[string]string{"innodb_buffer_pool_size": "64M"})
		root, err := mysqld.Open(server.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		theirAccount(t, root)
		return fmt.Sprintf("127.0.0.1:%d", server.Options.Port)
	}
	return ""
}
