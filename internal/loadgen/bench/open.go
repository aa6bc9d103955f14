package main

// The open cell: latencies at a rate that the server can do easily. What one client needs of the CPUs
// is missing to the server, and an interruption of its threads shows in their time.

import (
	"context"
	"fmt"
	"os"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// The load of the open cell; sysbench, too, begins transactions at random times with --rate.
const (
	openWorkload    = "oltp_read_write"
	openConnections = 8
)

// openRatios compare the engine with sysbench: the latencies that each reports, and the time of the
// statements in the server.
type openRatios struct {
	Mean   ratio `json:"mean"`
	P95    ratio `json:"p95"`
	Server ratio `json:"server"`
}

// openCell alternates windows of both at -rate on one fresh server: one that has had other cells
// before has work of theirs left to do.
func (b *bench) openCell(ctx context.Context) error {
	if err := b.restart(ctx); err != nil {
		return err
	}
	observer, err := b.observer(ctx)
	if err != nil {
		return err
	}
	defer observer.Close()
	trial := func(ctx context.Context, of load) (outcome, error) { return b.openTrial(ctx, observer, of) }
	var mean, p95, server []float64
	for i := range b.pairs {
		of, err := trials(ctx, i, load{workload: openWorkload, threads: openConnections, rate: b.rate, cpu: -1}, trial, "tare", "sysbench")
		if err != nil {
			return err
		}
		mean = append(mean, of[0].mean/of[1].mean)
		p95 = append(p95, of[0].p95/of[1].p95)
		server = append(server, of[0].inServer/of[1].inServer)
		fmt.Fprintf(os.Stderr, "open pair %d: mean %.3f and %.3f ms, p95 %.3f and %.3f ms, statements in the server %.1f and %.1f us\n",
			i+1, of[0].mean, of[1].mean, of[0].p95, of[1].p95, of[0].inServer*1e6, of[1].inServer*1e6)
	}
	b.out.Open = &openRatios{ratioOf(mean), ratioOf(p95), ratioOf(server)}
	return nil
}

// openTrial is one window of one of them, with the time of a statement in the server.
func (b *bench) openTrial(ctx context.Context, observer *wire.Session, of load) (outcome, error) {
	took, n, err := statementTime(ctx, observer)
	if err != nil {
		return outcome{}, err
	}
	o, err := b.trial(ctx, of)
	if err != nil {
		return o, err
	}
	tookAfter, nAfter, err := statementTime(ctx, observer)
	if err == nil && nAfter == n {
		err = fmt.Errorf("the server has executed nothing")
	}
	o.inServer = (tookAfter - took) / (nAfter - n)
	return o, err
}

// statementTime is how many seconds the server's statements have taken, and their number.
func statementTime(ctx context.Context, observer *wire.Session) (seconds, n float64, err error) {
	return twoNumbers(ctx, observer, "SELECT SUM(SUM_TIMER_WAIT)/1e12, SUM(COUNT_STAR) FROM performance_schema.events_statements_summary_global_by_event_name")
}
