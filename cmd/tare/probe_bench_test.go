package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// A span is a second to settle, in which the probes read all that they can, and two
// in which they read as they do in a trial: of the spans of one to ten seconds those with
// which an hour tells most, because a load on two CPUs wanders by a tenth within seconds.
const (
	settleSeconds = 1
	spanSeconds   = 2
)

// BenchmarkProbesCost measures what the probes take from a load: one load all the
// while, in the order on, off, off, on, so that a drift of the machine falls on both.
// Trials apart (probes: alternate) cannot show half a per cent where equal trials
// differ by five. make bench-probes runs it for a hundred pairs of spans.
//
// CPU is that of server and generator for each transaction, which a busy neighbour
// changes less than the throughput. Beside the two differences stands what can be
// counted without any noise: the CPU time of the thread that reads and of the server's
// thread that answers it, as a part of that of server and generator.
func BenchmarkProbesCost(b *testing.B) {
	server := mysqldtest.Start(b, mysqldtest.Flavour(b, "mysql"), map[string]string{"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0", "local_infile": "ON"})
	db, err := mysqld.Open(server.Address)
	if err != nil {
		b.Fatal(err)
	}
	_, err = db.ExecContext(b.Context(), "CREATE SCHEMA sbtest")
	if err = errors.Join(err, db.Close()); err != nil {
		b.Fatal(err)
	}
	server.Address.Schema = "sbtest"
	job := loadgen.Job{
		Workload: "oltp_read_write", Tables: 4, Rows: 20000, Threads: 8, Seed: 1, Server: server.Address, Dir: b.TempDir(),
		Warmup: 5 * time.Second, Measure: time.Duration(2*b.N*(settleSeconds+spanSeconds)+5) * time.Second,
	}
	if err := loadgen.BuiltIn("").Prepare(b.Context(), job, os.Stderr); err != nil {
		b.Fatal(err)
	}
	load := loaded(b, job)
	var throughput, cpu []float64 // of the log ratios, on by off
	var counted []float64         // per cent
	b.ResetTimer()
	for pair := range b.N {
		var with, without span
		for k := range 2 {
			if pair%2 == k {
				with = load.span(b, server, true)
			} else {
				without = load.span(b, server, false)
			}
		}
		throughput = append(throughput, math.Log(with.transactions/without.transactions))
		cpu = append(cpu, math.Log(with.cpu/with.transactions*without.transactions/without.cpu))
		counted = append(counted, 100*with.probes/(with.cpu/spanSeconds))
	}
	b.StopTimer()
	load.stop()
	for name, logs := range map[string][]float64{"throughput": throughput, "CPU": cpu} {
		lo, hi := stats.TInterval(logs, 0.05)
		fmt.Fprintf(os.Stderr, "probes: %s %+.2f %% [%+.2f, %+.2f], %d pairs of spans of %d s\n",
			name, 100*math.Expm1(stats.Mean(logs)), 100*math.Expm1(lo), 100*math.Expm1(hi), len(logs), spanSeconds)
		b.ReportMetric(100*math.Expm1(stats.Mean(logs)), "%"+name)
	}
	lo, hi := stats.TInterval(counted, 0.05)
	fmt.Fprintf(os.Stderr, "probes: counted %.3f %% [%.3f, %.3f] of the CPU time of server and generator\n", stats.Mean(counted), lo, hi)
	b.ReportMetric(stats.Mean(counted), "%counted")
}

// load is one that runs, its seconds as they end.
type load struct {
	seconds chan float64 // transactions
	stop    context.CancelFunc
}

func loaded(b *testing.B, job loadgen.Job) *load {
	ctx, stop := context.WithCancel(b.Context())
	l := &load{seconds: make(chan float64), stop: stop}
	go func() {
		// The run ends when it is stopped, with that as its error.
		_, _, _ = loadgen.BuiltIn("").Run(ctx, job, func(line record.Line) error {
			if i := line.Interval; i != nil && !i.Warmup {
				select {
				case l.seconds <- i.Transactions * i.Length:
				case <-ctx.Done():
				}
			}
			return nil
		})
		close(l.seconds)
	}()
	return l
}

// span is what some seconds came to; cpu is in seconds, and probes in seconds a second.
type span struct{ transactions, cpu, probes float64 }

func (l *load) span(b *testing.B, server *mysqldtest.Server, probes bool) (s span) {
	if probes {
		stop := watching(b, server)
		defer func() { s.probes = stop() }()
	}
	for k := range settleSeconds + spanSeconds {
		if k == settleSeconds {
			s.cpu = -cpuSeconds(b, server.PID)
		}
		n, running := <-l.seconds
		if !running {
			b.Fatal("the load ended")
		}
		if k >= settleSeconds {
			s.transactions += n
		}
	}
	s.cpu += cpuSeconds(b, server.PID)
	return s
}

// watching starts the probes as a trial does, and returns what ends them and says what
// they took, in seconds of CPU time a second, after their first reading.
func watching(b *testing.B, server *mysqldtest.Server) (stop func() float64) {
	db, err := mysqld.Open(server.Address)
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	var thread int
	if err := db.QueryRowContext(b.Context(), "SELECT THREAD_OS_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID()").Scan(&thread); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	w := probe.Start(probe.Place{Root: os.DirFS("/"), PID: server.PID, DataDir: server.Options.DataDir, DB: db}, probe.All())
	ended := make(chan error, 1)
	at := probe.Window{Began: time.Now(), Measure: time.Hour}
	type reading struct{ at, cpu time.Duration }
	var first, last reading
	go func() {
		ended <- w.Run(ctx, at, func(line record.Line) error {
			if s := line.Sample; s != nil {
				own, _ := s.Values.Of("probe.cpu_ns")
				last = reading{s.At, time.Duration(own) + onCPU(b, server.PID, thread)}
				if first.at == 0 {
					first = last
				}
			}
			return nil
		})
	}()
	return func() float64 {
		cancel()
		if err := errors.Join(<-ended, db.Close()); err != nil {
			b.Error(err)
		}
		return (last.cpu - first.cpu).Seconds() / (last.at - first.at).Seconds()
	}
}

// onCPU is the CPU time of a thread, the first figure of its schedstat (Linux,
// Documentation/scheduler/sched-stats.rst).
func onCPU(b *testing.B, pid, thread int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, thread))
	if err != nil {
		b.Error(err)
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	ns, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		b.Error(err)
	}
	return time.Duration(ns)
}

// cpuSeconds are the CPU time of the server and of this process (proc_pid_stat(5),
// fields 14 and 15, in hundredths of a second).
func cpuSeconds(b *testing.B, pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	sum := 0.0
	for _, field := range strings.Fields(after)[11:13] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += ticks / 100
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	return sum + time.Duration(own.Utime.Nano()+own.Stime.Nano()).Seconds()
}
