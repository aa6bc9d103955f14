package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tarebench/tare/internal/stats"
)

// Pinned trials give the client processor 1 and the server processor 0.
const (
	serverCPU = 0
	clientCPU = 1
)

// cpuCell compares CPU time per statement of the engine and of sysbench, each pinned to the same processor. Every pair
// has fresh processes. In windows of seconds, one after the other, sysbench needed 26 to 39 us for a point select: see
// floorCounted.
func (b *bench) cpuCell(ctx context.Context, of cell) error {
	if err := b.server.pin(serverCPU); err != nil {
		return err
	}
	defer b.server.unpin()
	var against []float64
	for i := range b.pairs {
		tare, sysbench, err := b.takeTurns(ctx, of, clientCPU, floorCounted)
		if err != nil {
			return err
		}
		r := tare.cpuPerStatement() / sysbench.cpuPerStatement()
		against = append(against, r)
		fmt.Fprintf(os.Stderr, "cpu/%s pair %d: tare / sysbench %.3f; %.2f and %.2f us a statement, %.0f and %.0f/s, CPUs idle %.1f and %.1f %%\n",
			of, i+1, r, tare.cpuPerStatement()*1e6, sysbench.cpuPerStatement()*1e6, tare.rate(), sysbench.rate(), tare.idle(), sysbench.idle())
	}
	b.out.CPU[of.String()] = ratioOf(against)
	return nil
}

// scaleCell compares 5,000 connections with 64, the client pinned.
func (b *bench) scaleCell(ctx context.Context) error {
	if err := b.server.pin(serverCPU); err != nil {
		return err
	}
	defer b.server.unpin()
	const many, few = 5000, 64
	of := load{kind: "tare", workload: "oltp_point_select", cpu: clientCPU}
	var against, memory []float64
	for i := range b.pairs {
		of.threads = many
		large, err := b.trial(ctx, of)
		if err != nil {
			return err
		}
		of.threads = few
		small, err := b.trial(ctx, of)
		if err != nil {
			return err
		}
		against = append(against, large.window/small.window)
		memory = append(memory, float64(large.rss-small.rss)/1024/(many-few))
		fmt.Fprintf(os.Stderr, "scale pair %d: %.2f us at %d connections, %.2f us at %d; %.1f KiB a connection\n",
			i+1, large.window*1e6, many, small.window*1e6, few, memory[i])
	}
	r, m := ratioOf(against), stats.Median(memory)
	b.out.Scale, b.out.Memory = &r, &m
	return nil
}

// prepareCell compares how long the data take to make; the ratio is sysbench's
// time by ours. A pair takes minutes, so there are as many as fit into the limit, one
// at least. The CPU times beside it are what other work on the machine changes least.
func (b *bench) prepareCell(ctx context.Context) error {
	var against []float64
	begun := time.Now()
	for i := range b.pairs {
		if i > 0 && time.Since(begun) > b.prepareLimit {
			break
		}
		var took, cpu [2]float64
		for k := range 2 {
			which := (i + k) % 2
			kind := [2]string{"tare", "sysbench"}[which]
			if err := b.server.clear(ctx); err != nil {
				return err
			}
			var err error
			if took[which], cpu[which], err = b.timePrepare(ctx, kind); err != nil {
				return err
			}
		}
		against = append(against, took[1]/took[0])
		fmt.Fprintf(os.Stderr, "prepare pair %d: tare %.2f s, sysbench %.2f s; CPU of server and client %.2f s, %.2f s\n", i+1, took[0], took[1], cpu[0], cpu[1])
	}
	r := ratioOf(against)
	b.out.Prepare = &r
	return b.server.clear(ctx)
}
