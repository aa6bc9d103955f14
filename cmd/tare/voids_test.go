package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// late is a place whose first trials say that the client was late: a disturbance
// cannot be caused and removed on demand. The servers are real.
type late struct {
	target.Target
	left, started *int
}

type lateServer struct {
	target.Server
	late bool
}

func (p late) Start(ctx context.Context, r target.Request) (target.Server, error) {
	s, err := p.Target.Start(ctx, r)
	*p.started++
	*p.left--
	return lateServer{s, *p.left >= 0}, err
}

func (s lateServer) Facts(ctx context.Context, phase string) []record.Fact {
	facts := s.Server.Facts(ctx, phase)
	if s.late && phase == "end" {
		facts = append(facts, record.Fact{Key: "load.invalid", Value: "held up"})
	}
	return facts
}

const lateSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 100}
load: {engine: sysbench, workload: oltp_point_select, threads: 1, rate: 50/s}
protocol: {rounds: 1, voids: 1, warmup: 0s, measure: 1s, ready: 300s}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`

// TestVoidRoundsAreRunAgain: within the budget, with the reason on record; a run
// that is gone on with has no second budget.
func TestVoidRoundsAreRunAgain(t *testing.T) {
	rootfs := testRootfs(t)
	t.Parallel()
	e, err := experiment.Parse("x.yaml", fmt.Appendf(nil, lateSpec, rootfs))
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	show := &terminal{err: &said, out: io.Discard, stateDir: filepath.Join(t.TempDir(), "state")}
	job, err := assemble(t.Context(), show, e, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	left, started := 3, 0
	for name, place := range job.Targets {
		job.Targets[name] = late{place, &left, &started}
	}
	job.Dir, job.Plan = filepath.Join(t.TempDir(), "run"), experiment.NewPlan(e)
	tell := newProgress(show, job, false)
	defer tell.Close()
	if err := record.Create(job.Dir, e, job.Plan); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := campaign.Run(t.Context(), job, tell); err != nil {
			t.Fatal(err)
		}
		run, err := record.Open(job.Dir)
		if err != nil {
			t.Fatal(err)
		}
		// Both trials are late, the round is run again, and one is late again.
		if len(run.Trials) != 2 || len(run.Voids) != 1 || started != 4 {
			t.Fatalf("%d trials, %d voids, %d started", len(run.Trials), len(run.Voids), started)
		}
		// A busy machine may trip other gates as well.
		for i, c := range run.Voids[0].Causes[:2] {
			if c.Gate != "client" || c.Trial != i+1 {
				t.Errorf("%+v", c)
			}
		}
	}
	if !strings.Contains(said.String(), "event=void round=1") || !strings.Contains(said.String(), "gate=client") {
		t.Error(said.String())
	}
}
