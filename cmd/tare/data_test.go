package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/runner"
)

// TestDataPlan: the copies of a user's data are counted before anything is started. Copies
// that share blocks take only what their server writes, and restored data are not restored again.
func TestDataPlan(t *testing.T) {
	const size, grown = 20 << 30, 20<<30 + besideRows
	plan := dataPlan{size: backup.Size{Files: 300, Bytes: size}, dir: "/var/lib/tare", free: 50 << 30, known: true}
	for _, c := range []struct {
		servers                  int
		restored, shared, linked bool
		members                  int
		want                     int64
	}{
		{servers: 1, want: size + grown},
		{servers: 3, want: size + 3*grown},
		{servers: 3, restored: true, want: 3 * grown},
		{servers: 3, linked: true, want: size + 3*besideRows},
		{servers: 3, shared: true, linked: true, want: 3 * besideRows},
		{servers: 1, restored: true, members: 2, want: 3 * grown},
	} {
		p := plan
		p.restored, p.shared, p.linked, p.members = c.restored, c.shared, c.linked, c.members
		if got := p.needs(c.servers); got != c.want {
			t.Errorf("%+v: %s", c, gib(got))
		}
		if why := p.shortOf(c.servers); (why != "") != (c.want > plan.free) || why != "" && !strings.Contains(why, "50.0 GiB are free in /var/lib/tare") {
			t.Errorf("%+v: %q", c, why)
		}
	}
}

// TestSourceOnce: a server to clone is asked once for each command, with the command's
// context.
func TestSourceOnce(t *testing.T) {
	t.Parallel()
	port, asked := busyServer(t)
	e, err := experiment.Parse("x.yaml", fmt.Appendf(nil, `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: once}
database: {rootfs: %s}
data: {from: {clone: {host: 127.0.0.1, port: %d, user: donor}}}
load: {threads: 1}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`, testRootfs(t), port))
	if err != nil {
		t.Fatal(err)
	}
	show := &terminal{err: io.Discard, out: io.Discard, stateDir: filepath.Join(t.TempDir(), "state")}
	if _, err := assemble(t.Context(), show, e, io.Discard); err == nil || !strings.Contains(err.Error(), "no more connections") {
		t.Error(err)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	job := runner.Job{Experiment: e, State: runner.State{Dir: show.stateDir}}
	if p := planData(ended, &job, false); !errors.Is(p.err, context.Canceled) {
		t.Errorf("of a command that has ended: %v", p.err)
	}
}

// busyServer refuses all connections and counts them (MySQL source, ERR_Packet).
func busyServer(t *testing.T) (port int, asked *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	asked = new(atomic.Int32)
	message := append([]byte{0xff, 0x10, 0x04}, "no more connections"...)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			c.Write(append([]byte{byte(len(message)), 0, 0, 0}, message...))
			c.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port, asked
}

// TestDataProtocol: where the disk is too small for a copy for each arm, the run is by
// windows and says why; where it is too small for one, nothing is started.
func TestDataProtocol(t *testing.T) {
	e, err := experiment.Parse("x.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: copies}
data: {from: {directory: /backup/shop}}
protocol: {rounds: 1, aa: false}
load: {threads: 1}
baseline: a
arms: {a: {target: process}, b: {target: process}, c: {target: process}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		free           int64
		kind, why, bad string
	}{
		{free: 90, kind: experiment.KindSlices},
		{free: 55, kind: experiment.KindWindows, why: "the copies of the data need 81.2 GiB, and 55.0 GiB are free in /disk"},
		{free: 40, kind: experiment.KindWindows, why: "need 81.2 GiB", bad: "the copies of the data need 40.4 GiB, and 40.0 GiB are free in /disk; free some (tare clean removes"},
	} {
		plan := &dataPlan{size: backup.Size{Bytes: 20 << 30}, dir: "/disk", free: c.free << 30, known: true}
		job := &runner.Job{Experiment: e}
		protocol := interleaving(e, nil, false, tooLittleDisk(job, plan))
		if protocol.Kind != c.kind || !strings.Contains(protocol.Why, c.why) {
			t.Errorf("%d GiB free: %s: %s", c.free, protocol.Kind, protocol.Why)
		}
		job.Plan = experiment.NewPlan(e).Interleave(e, protocol)
		if says := strings.Join(dataLines(*job, plan), "\n"); !strings.Contains(says, "a copy, 1m42s at 200 MiB/s; all 3 trials, 5m7s at 200 MiB/s") {
			t.Error(says)
		}
		err := checkSource(job, plan).Err()
		if (err != nil) != (c.bad != "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%d GiB free: %v", c.free, err)
		}
	}
}
