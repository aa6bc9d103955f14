package loop

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// Ceiling is what the engine can do on this machine where nothing is behind the
// socket but a fixed answer.
type Ceiling struct {
	// PerSecond are operations per second of CPU that the loop had; one loop on a
	// processor of its own sends no more than that.
	PerSecond float64
	// CPU per operation.
	CPU time.Duration
	// RoundTrip is how long an operation took.
	RoundTrip *latency.Histogram
}

// answer is a point select's result: one column, one row of 119 characters, EOF.
func answer() []byte {
	var b []byte
	for i, p := range []string{
		"\x01", "\x03def\x06sbtest\x07sbtest1\x07sbtest1\x01c\x01c\x0c\xff\x00\xe0\x01\x00\x00\xfe\x01\x00\x00\x00\x00",
		"\xfe\x00\x00\x02\x00", "\x00\x00\x77" + string(make([]byte, 119)), "\xfe\x00\x00\x02\x00",
	} {
		b = append(b, byte(len(p)), byte(len(p)>>8), byte(len(p)>>16), byte(i+1))
		b = append(b, p...)
	}
	return b
}

// MeasureCeiling runs point selects of one loop against fixed answers over TCP
// loopback. With one connection its round trip is that of the bare bytes.
func MeasureCeiling(ctx context.Context, connections int, length time.Duration) (*Ceiling, error) {
	o := workload.Defaults()
	o.Threads = connections
	p, err := workload.Build("oltp_point_select", o)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("measure ceiling: %w", err)
	}
	defer l.Close()
	go serveAnswers(l)
	j := &Job{Program: p, Connections: connections, Loops: 1, Seed: 1, Warmup: length / 10, Time: length, Drain: time.Second,
		connector: func() (*wire.Conn, []uint32, error) {
			c, err := bareConnection(l.Addr().(*net.TCPAddr).Port)
			return c, []uint32{1}, err
		}}
	r, err := Run(ctx, j, func(Interval) {})
	if err != nil {
		return nil, fmt.Errorf("measure ceiling: %w", err)
	}
	n := float64(r.Window.Transactions)
	if n == 0 || r.Self.Ran <= 0 {
		return nil, fmt.Errorf("measure ceiling: nothing was answered")
	}
	return &Ceiling{PerSecond: n / r.Self.Ran.Seconds(), CPU: time.Duration(float64(r.Self.Ran) / n), RoundTrip: r.Window.Latency}, nil
}

func bareConnection(port int) (*wire.Conn, error) {
	c, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), dialTimeout)
	if err != nil {
		return nil, err
	}
	return wire.Take(c)
}

// serveAnswers answers whatever comes, until the listener is closed.
func serveAnswers(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			reply, in := answer(), make([]byte, 4096)
			for {
				if n, err := c.Read(in); err != nil || n == 5 { // 5 bytes: COM_QUIT
					return
				}
				if _, err := c.Write(reply); err != nil {
					return
				}
			}
		}()
	}
}
