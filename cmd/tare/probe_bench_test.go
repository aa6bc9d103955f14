package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
	"github.com/tarebench/tare/internal/workload"
)

// The load is counted in steps of stepLength. What a reading takes from it is looked for
// in the steps from before it ends until behind, against the others of the second in the
// middle of which it ended. A reading takes 5 to 10 ms.
const (
	spanLength     = 10 * time.Second
	stepLength     = 20 * time.Millisecond
	before, behind = 60 * time.Millisecond, 140 * time.Millisecond
)

// BenchmarkProbesCost measures what the probes take from a load: one load all the
// while, and spans with readings and without in the order on, off, off, on. Trials apart
// (probes: alternate) cannot show 0.5 % where equal trials differ by five, nor
// can spans of seconds, for a load on two CPUs wanders by a tenth within them: a hundred
// pairs told its throughput to 2 %. But a reading is short and its moment is
// known, so what it takes is missing beside that moment and nowhere else: the steps there
// are compared with those a moment before and after, in the spans without readings beside
// moments at which nothing happens. The moments begin at random, because the server does
// things once a second too.
//
// Beside it stands what can be counted without any noise: the CPU time of the thread
// that reads and of the server's thread that answers it, as a part of that of server and
// generator. make bench-probes runs it for a hundred pairs of spans.
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
	load := loaded(b, server.Address)
	random := rand.New(rand.NewPCG(1, 1))
	var moments [2][][]time.Time // without readings and with, of each span
	var counted []float64        // %
	b.ResetTimer()
	for n := range 2 * b.N {
		time.Sleep(time.Duration(random.Int64N(int64(time.Second))))
		if with := n%4 == 0 || n%4 == 3; with {
			read, cost := spanRead(b, server)
			moments[1], counted = append(moments[1], read), append(counted, 100*cost)
			continue
		}
		begun := time.Now()
		time.Sleep(spanLength)
		var none []time.Time
		for t := begun.Add(time.Second); t.Before(begun.Add(spanLength)); t = t.Add(time.Second) {
			none = append(none, t)
		}
		moments[0] = append(moments[0], none)
	}
	b.StopTimer()
	load.end(b)
	var missing [2][]float64
	for k, spans := range moments {
		for _, span := range spans {
			missing[k] = append(missing[k], load.missing(span))
		}
	}
	var difference []float64
	for n := range missing[0] {
		difference = append(difference, missing[1][n]-missing[0][n])
	}
	say := func(name string, x []float64) {
		lo, hi := stats.TInterval(x, 0.05)
		fmt.Fprintf(os.Stderr, "probes: %s %.3f %% [%.3f, %.3f], %d spans of %v\n", name, stats.Mean(x), lo, hi, len(x), spanLength)
	}
	say("throughput missing beside readings", missing[1])
	say("throughput missing beside moments without", missing[0])
	say("difference", difference)
	say("counted of the CPU time of server and generator", counted)
	b.ReportMetric(stats.Mean(difference), "%throughput")
	b.ReportMetric(stats.Mean(counted), "%counted")
}

// load is one that runs: the transactions of each step, and when the first began.
type load struct {
	stop    context.CancelFunc
	ended   chan error
	steps   []float64
	started time.Time
}

func loaded(b *testing.B, server mysqld.Address) *load {
	o := workload.Defaults()
	o.Tables, o.TableSize, o.Threads = 4, 20000, 8
	program, err := workload.Build("oltp_read_write", o)
	if err != nil {
		b.Fatal(err)
	}
	dialer, err := wire.NewDialer(server)
	if err != nil {
		b.Fatal(err)
	}
	if err := fill.Run(b.Context(), fill.Job{Tables: o.OLTPTables(1), Dial: dialer.Dial, Workers: 2}); err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	l := &load{stop: stop, ended: make(chan error, 1)}
	j := &loop.Job{
		Program: program, Dial: dialer.Dial, Connections: o.Threads, Seed: 1, DialAtOnce: 8, Interval: stepLength,
		Warmup: 5 * time.Second, Time: 24 * time.Hour, Drain: 20 * time.Second,
	}
	go func() {
		r, err := loop.Run(ctx, j, func(i loop.Interval) { l.steps = append(l.steps, float64(i.Transactions)) })
		if r != nil {
			l.started = r.Started
		}
		l.ended <- err
	}()
	time.Sleep(j.Warmup)
	return l
}

// end ends the load; what it has counted can be read from then on.
func (l *load) end(b *testing.B) {
	l.stop()
	if err := <-l.ended; err != nil && !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
}

// missing is what the load did less beside these moments, in % of a second.
func (l *load) missing(moments []time.Time) float64 {
	sum := 0.0
	for _, m := range moments {
		at := func(d time.Duration) int { return int(m.Add(d).Sub(l.started) / stepLength) }
		first, last := at(-500*time.Millisecond), at(500*time.Millisecond)
		near := l.steps[at(-before):at(behind)]
		other := slices.Concat(l.steps[first:at(-before)], l.steps[at(behind):last])
		usual := stats.Mean(other)
		sum += 100 * (usual - stats.Mean(near)) / usual * float64(len(near)) / float64(last-first)
	}
	return sum / float64(len(moments))
}

// spanRead has the probes read for a span, as a trial does. It returns when they had
// read, after their first time, in which they read all that they can, and the part of
// the CPU time of server and generator that they took.
func spanRead(b *testing.B, server *mysqldtest.Server) (read []time.Time, part float64) {
	db, err := mysqld.Open(server.Address)
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	var thread int
	if err := db.QueryRowContext(b.Context(), "SELECT THREAD_OS_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID()").Scan(&thread); err != nil {
		b.Fatal(err)
	}
	end := time.Now().Add(spanLength)
	ctx, cancel := context.WithDeadline(b.Context(), end)
	defer cancel()
	w := probe.Start(probe.Place{Root: os.DirFS("/"), PID: server.PID, DataDir: server.Options.DataDir, DB: db}, probe.All())
	type cpu struct{ probes, all float64 }
	var first, last cpu
	err = w.Run(ctx, probe.Window{Began: time.Now(), Measure: time.Hour}, func(line record.Line) error {
		s := line.Sample
		if s == nil || !time.Now().Before(end) { // the last reading is of everything again
			return nil
		}
		own, _ := s.Values.Of("probe.cpu_ns")
		last = cpu{(time.Duration(own) + onCPU(b, server.PID, thread)).Seconds(), cpuSeconds(b, server.PID)}
		if first == (cpu{}) {
			first = last
			return nil
		}
		read = append(read, time.Now())
		return nil
	})
	if err = errors.Join(err, db.Close()); err != nil {
		b.Fatal(err)
	}
	return read, (last.probes - first.probes) / (last.all - first.all)
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
