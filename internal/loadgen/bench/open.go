package main

// The open cell: latencies at a rate that the server can do easily. What one client needs of the CPUs
// is missing to the server, and an interruption of its threads shows in their time.

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"

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

// openCell alternates windows of both at -rate on one server.
func (b *bench) openCell(ctx context.Context) error {
	observer, err := b.observer(ctx)
	if err != nil {
		return err
	}
	defer observer.Close()
	kinds := [2]string{"tare", "sysbench"}
	var mean, p95, server []float64
	for i := range b.pairs {
		var of [2]outcome
		for n := range kinds {
			k := (i + n) % len(kinds)
			if of[k], err = b.openTrial(ctx, observer, kinds[k]); err != nil {
				return fmt.Errorf("%s at %d/s: %w", kinds[k], b.rate, err)
			}
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
func (b *bench) openTrial(ctx context.Context, observer *wire.Session, kind string) (outcome, error) {
	took, n, err := statementTime(ctx, observer)
	if err != nil {
		return outcome{}, err
	}
	o, err := b.trial(ctx, load{kind: kind, workload: openWorkload, threads: openConnections, rate: b.rate, cpu: -1})
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
	rows, err := observer.Query(ctx, "SELECT SUM(SUM_TIMER_WAIT)/1e12, SUM(COUNT_STAR) FROM performance_schema.events_statements_summary_global_by_event_name")
	if err != nil {
		return 0, 0, err
	}
	if seconds, err = strconv.ParseFloat(rows[0][0], 64); err != nil {
		return 0, 0, err
	}
	n, err = strconv.ParseFloat(rows[0][1], 64)
	return seconds, n, err
}

var (
	meanLine = regexp.MustCompile(`avg: +([\d.]+)`)
	p95Line  = regexp.MustCompile(`95th percentile: +([\d.]+)`)
)

// readLatencies reads what sysbench prints, in milliseconds.
func (o *outcome) readLatencies(stdout []byte) (err error) {
	mean, p95 := meanLine.FindSubmatch(stdout), p95Line.FindSubmatch(stdout)
	if mean == nil || p95 == nil {
		return fmt.Errorf("sysbench printed no latencies: %s", stdout)
	}
	if o.mean, err = strconv.ParseFloat(string(mean[1]), 64); err != nil {
		return err
	}
	o.p95, err = strconv.ParseFloat(string(p95[1]), 64)
	return err
}
