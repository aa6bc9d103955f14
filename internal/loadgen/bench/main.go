// Command bench measures the built-in load engine against sysbench and against a bare loop.
//
// Every ratio comes from alternating pairs in one run; the last line of the output
// is one JSON object, which docs/results/performance.md explains.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"strings"
	"syscall"
	"time"
)

// config is what the command line says.
type config struct {
	rootfs, server string
	cells          string
	pairs          int
	seconds        int
	rate           int
	tables, rows   int
	prepareTables  int
	prepareRows    int
	prepareLimit   time.Duration
	child          string
	generators     int
	generator      int
}

func main() {
	var c config
	flag.StringVar(&c.rootfs, "rootfs", os.Getenv("TARE_TEST_ROOTFS"), "directory of a root file system with MySQL")
	flag.StringVar(&c.server, "server", "/usr/sbin/mysqld", "server binary inside it")
	flag.StringVar(&c.cells, "cells", "*", "cells to run, comma-separated patterns: cpu/oltp_read_only@64, floor/*, throughput/*@4, open, scale, generators, prepare")
	flag.IntVar(&c.pairs, "pairs", 9, "pairs per cell; of the throughput cells each on a fresh server")
	flag.IntVar(&c.seconds, "seconds", 4, "seconds of each measurement")
	flag.IntVar(&c.rate, "rate", 300, "transactions/s of the open cell")
	flag.IntVar(&c.tables, "tables", 4, "tables")
	flag.IntVar(&c.rows, "rows", 100000, "rows of each table")
	flag.IntVar(&c.prepareTables, "prepare-tables", 10, "tables of the prepare cell")
	flag.IntVar(&c.prepareRows, "prepare-rows", 1000000, "rows of each table of the prepare cell")
	flag.DurationVar(&c.prepareLimit, "prepare-limit", 30*time.Minute, "no further pair of the prepare cell is begun after this")
	flag.IntVar(&c.generators, "generators", 200, "processes of the generators cell")
	flag.IntVar(&c.generator, "generator", -1, "internal: be the generator with this number")
	flag.StringVar(&c.child, "child", "", "internal: be one measured process")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, c); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, c config) error {
	if c.generator >= 0 {
		return generator(ctx, c.generator)
	}
	if c.child != "" {
		return child(ctx, c.child)
	}
	s, err := startServer(ctx, c)
	if err != nil {
		return err
	}
	defer s.stop()
	b := &bench{config: c, server: s, out: results{
		CPU: map[string]ratio{}, Floor: map[string]ratio{}, Timed: map[string]ratio{}, Throughput: map[string]ratio{}, Idle: map[string][]float64{},
	}}
	if err := b.all(ctx); err != nil {
		return err
	}
	line, err := json.Marshal(b.out)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return nil
}

// results is the last line.
type results struct {
	CPU        map[string]ratio `json:"cpu_vs_sysbench"`
	Floor      map[string]ratio `json:"cpu_vs_floor"`
	Timed      map[string]ratio `json:"cpu_vs_timed_loop"`
	Throughput map[string]ratio `json:"throughput_vs_sysbench"`
	// Idle is how much of the CPUs was idle, in %: with tare and with sysbench.
	Idle    map[string][]float64 `json:"cpu_idle_percent"`
	Open    *openRatios          `json:"open_vs_sysbench,omitempty"`
	Scale   *ratio               `json:"cpu_5000_vs_64,omitempty"`
	Memory  *float64             `json:"rss_kib_per_connection,omitempty"`
	Prepare *ratio               `json:"prepare_speedup,omitempty"`
	Spread  []spread             `json:"generators,omitempty"`
}

// bench is a run of the cells.
type bench struct {
	config
	server *server
	out    results
}

var workloads = []string{"oltp_read_only", "oltp_read_write", "oltp_point_select"}

func (b *bench) wants(cell string) bool {
	for _, pattern := range strings.Split(b.cells, ",") {
		if ok, _ := path.Match(strings.TrimSpace(pattern), cell); ok || pattern == "*" {
			return true
		}
	}
	return false
}

// clientCells are those of the client's CPU time.
func (b *bench) clientCells(ctx context.Context) error {
	filled := false
	for _, w := range workloads {
		of := cell{w, 64}
		if b.wants("cpu/" + of.String()) {
			if err := b.cpuCell(ctx, of); err != nil {
				return err
			}
		}
		if !b.wants("floor/" + of.String()) {
			continue
		}
		if !filled {
			filled = true
			if err := b.server.prepare(ctx, timedSchema, b.tables, b.rows); err != nil {
				return err
			}
		}
		if err := b.floorCell(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// all runs the cells that are asked for.
func (b *bench) all(ctx context.Context) error {
	if b.wants("prepare") {
		if err := b.prepareCell(ctx); err != nil {
			return err
		}
	}
	// These have servers of their own; the last one stays for the cells below.
	throughputs, open := b.throughputs(), b.wants("open")
	if err := b.throughputCells(ctx, throughputs); err != nil {
		return err
	}
	if open {
		if err := b.openCell(ctx); err != nil {
			return err
		}
	}
	if len(throughputs) == 0 && !open {
		if err := b.fill(ctx); err != nil {
			return err
		}
	}
	if err := b.clientCells(ctx); err != nil {
		return err
	}
	if b.wants("generators") {
		if err := b.generatorsCell(ctx); err != nil {
			return err
		}
	}
	if b.wants("scale") {
		return b.scaleCell(ctx)
	}
	return nil
}
