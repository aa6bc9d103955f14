package loop

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// saturated is a server that answers so many statements a second, whatever is asked of it: those that a connection has
// sent wait in its queue. What it should have answered by now it answers at once, so that a machine that is slow makes
// answers come together and not more rarely.
func saturated(t *testing.T, rate float64) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connections sync.WaitGroup
	queue, ended := make(chan net.Conn, 1024), make(chan struct{})
	t.Cleanup(func() { l.Close(); close(ended); connections.Wait() })
	connections.Go(func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			connections.Go(func() {
				defer c.Close()
				in := make([]byte, 4096)
				for {
					if n, err := c.Read(in); err != nil || n == 5 { // COM_QUIT
						return
					}
					queue <- c
				}
			})
		}
	})
	connections.Go(func() {
		tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
		defer tick.Stop()
		reply, last, owed := answer(), time.Now(), 0.0
		for {
			select {
			case <-ended:
				return
			case now := <-tick.C:
				owed, last = owed+now.Sub(last).Seconds()*rate, now
			}
			for ; owed >= 1 && len(queue) > 0; owed-- {
				_, _ = (<-queue).Write(reply) // a connection that has gone has nothing to wait for
			}
			owed = min(owed, 64)
		}
	})
	return l.Addr().(*net.TCPAddr).Port
}

// TestCallsOfAStatement bounds what a statement costs of system calls and wake-ups where a server is saturated by 64
// connections, the load of which docs/results/performance.md has the CPU time. Two calls are the least: one that sends
// and one that receives. A loop that takes every answer by itself makes three, and is woken up once for each; one that
// rested for a 25th of the latency made 2.8, and two loops that divided the connections 3.5. Only a slow machine can
// make fewer.
func TestCallsOfAStatement(t *testing.T) {
	port := saturated(t, 8000)
	j := &Job{
		Program: programOf(t, "oltp_point_select", 64), Connections: 64, Loops: (&Job{Connections: 64}).loopsOn(1), Seed: 1,
		Warmup: 100 * time.Millisecond, Time: time.Second, DialAtOnce: 16,
		connector: func() (*wire.Conn, []uint32, error) {
			c, err := bareConnection(port)
			return c, []uint32{1}, err
		},
	}
	r, err := Run(context.Background(), j, func(Interval) {})
	if err != nil {
		t.Fatal(err)
	}
	c, n := r.Self.Calls, float64(r.Window.Queries())
	calls, sleeps := float64(c.All())/n, float64(c.Sleeps)/n
	t.Logf("%.0f statements in %v with %d loops, %.2f system calls and %.2f wake-ups for each: %+v", n, r.Length, r.Loops, calls, sleeps, c)
	if calls < 2 || calls > 2.6 {
		t.Errorf("%.2f system calls for each statement, want 2 to 2.6", calls)
	}
	if sleeps <= 0 || sleeps > 0.6 {
		t.Errorf("%.2f wake-ups for each statement, want at most 0.6", sleeps)
	}
	if most := n + 64; float64(c.Sends) > most || float64(c.Receives) > most {
		t.Errorf("%d sends and %d receives for %.0f statements", c.Sends, c.Receives, n)
	}
}
