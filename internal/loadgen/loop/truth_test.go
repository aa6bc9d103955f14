//go:build !race

// Whether the loop's clock tells the truth. Not under the race detector, which takes
// about as long between the clock and the send as the test allows, and not beside the
// tests of other packages: the Makefile runs it by itself.
package loop_test

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// keepAwake runs a loop on every CPU that gives way to everything (sched(7),
// SCHED_IDLE): on a CPU that has just come back from idling the kernel takes three times
// as long to send (virtual machine, Linux 6.18).
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
// say, within 2 % or 10 us at the median and the 99th percentile, besides what the kernel
// takes to send without us (bareSends); in an open loop well below what the machine can do,
// and in a closed loop that saturates the server and in which our loop rests.
func TestLatencyIsThatOfThePackets(t *testing.T) {
	b := newBench(t, mysqldtest.Distributions(t)[0])
	keepAwake(t)
	b.prepare(t, small(1, 10000, 1))
	open := b.job(t, "oltp_point_select", small(1, 10000, 4))
	s := pace.Schedule{{Length: time.Minute, From: 800, To: 800}}
	open.Arrivals = new(pace.Poisson(s, 1))
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
	bare := bareSends(t, 1000, 1250*time.Microsecond)
	j.Loops = 1
	j.Start = time.Now().Add(2 * time.Second) // by then the connections are made
	c := startCapture(t, b.address.Port, j.Start)
	r := run(t, j)
	took := c.end()
	// The packets know of no window: what was answered after its end belongs here too.
	statement := r.Window.Statements[0]
	statement.Merge(r.Tail.Statements[0])
	if n := statement.Count(); n == 0 || float64(len(took)) < 0.98*float64(n) {
		return []string{fmt.Sprintf("%s: %d pairs captured of %d statements", name, len(took), n)}
	}
	for _, p := range []float64{50, 99} {
		wire, send := percentile(took, p), percentile(bare, p)
		ours := float64(statement.Percentile(p))
		t.Logf("%s, p%v: packets %.1f us, ours %.1f us, the kernel's send %.1f us", name, p, wire/1000, ours/1000, send/1000)
		if apart := ours - wire; -apart <= max(0.02*wire, 10000) && apart-send <= max(0.02*wire, 10000) {
			agreed[p] = true
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s, p%v: packets say %.1f us, we say %.1f us", name, p, wire/1000, ours/1000))
	}
	return wrong
}

func percentile(sorted []int64, p float64) float64 {
	return float64(sorted[int(p/100*float64(len(sorted)))])
}
