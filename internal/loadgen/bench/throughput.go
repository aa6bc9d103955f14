package main

// The throughput cells: transactions per second where client and server share all processors.

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/stats"
)

// throughputs are the cells that are asked for, in the order of their table.
func (b *bench) throughputs() (cells []cell) {
	for _, w := range workloads {
		for _, n := range []int{2, 4, 16, 64} {
			if c := (cell{w, n}); b.wants("throughput/" + c.String()) {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

// cell is a workload at a number of connections.
type cell struct {
	workload string
	threads  int
}

func (c cell) String() string { return c.workload + "@" + strconv.Itoa(c.threads) }

// throughputCells measures all of them on one fresh server after the other: how a server's
// threads and memory come to lie differs from start to start, and a ratio from one start alone
// would have an interval that does not include it.
func (b *bench) throughputCells(ctx context.Context, cells []cell) error {
	against := map[cell][]float64{}
	idle := map[cell][2][]float64{}
	for i := range b.pairs {
		if len(cells) == 0 {
			break
		}
		if err := b.restart(ctx); err != nil {
			return err
		}
		for _, c := range cells {
			tare, sysbench, err := b.takeTurns(ctx, c, -1, turnCounted)
			if err != nil {
				return err
			}
			r := tare.rate() / sysbench.rate()
			against[c] = append(against[c], r)
			of := idle[c]
			of[0], of[1] = append(of[0], tare.idle()), append(of[1], sysbench.idle())
			idle[c] = of
			fmt.Fprintf(os.Stderr, "throughput/%s server %d: tare / sysbench %.3f; CPUs idle %.1f and %.1f %%\n", c, i+1, r, tare.idle(), sysbench.idle())
		}
	}
	for _, c := range cells {
		r := ratioOf(against[c])
		b.out.Throughput[c.String()] = r
		b.out.Idle[c.String()] = []float64{stats.Median(idle[c][0]), stats.Median(idle[c][1])}
		fmt.Fprintf(os.Stderr, "%-22s %s\n", c, r)
	}
	return nil
}

// restart replaces the server by a fresh one with both clients' tables.
func (b *bench) restart(ctx context.Context) error {
	b.server.stop()
	s, err := startServer(ctx, b.config)
	if err != nil {
		return err
	}
	*b.server = *s
	return b.fill(ctx)
}

// fill makes the tables of both clients.
func (b *bench) fill(ctx context.Context) error {
	for _, schema := range []string{b.server.address.Schema, sysbenchSchema} {
		if err := b.server.prepare(ctx, schema, b.tables, b.rows); err != nil {
			return err
		}
	}
	return nil
}

// idleTime is how long all CPUs together have been idle since the machine started, and how long
// they have been there, in ticks (proc_stat(5)).
func idleTime() (idle, all float64, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	// cpu user nice system idle iowait irq softirq steal; guest time is in user's.
	fields := strings.Fields(line)
	if len(fields) < 9 {
		return 0, 0, fmt.Errorf("read CPU time: unknown line %q", line)
	}
	for i, f := range fields[1:9] {
		ticks, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read CPU time: %w", err)
		}
		if all += ticks; i == 3 || i == 4 {
			idle += ticks
		}
	}
	return idle, all, nil
}
