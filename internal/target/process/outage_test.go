package process_test

// Tests of what an outage consists of, with real servers: what is known of its parts is found.

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/process"
)

// roundsVariable is how many rounds of two equal arms have an outage: two in make test, five in make outages.
const roundsVariable = "TARE_TEST_ROUNDS"

const outageSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: outages}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 64M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 100}
load: {workload: ledger, threads: 4, rate: 200/s%s}
protocol: {kind: windows, rounds: %d, warmup: 1s, measure: %s, ready: 300s, aa: false}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`

// lengths are those of parts of an outage in s, by name.
type lengths map[string]float64

// within is how far what is found may be from what is known, in s.
const within = 0.2

// outages are the parts of the outages of an experiment with one event in each of two equal arms, in the order in which they happened.
func outages(t *testing.T, d mysqld.Distribution, place target.Target, load, measure string) (all []lengths) {
	t.Helper()
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv(roundsVariable)); err == nil {
		rounds = n
	}
	e, err := experiment.Parse("outages.yaml", fmt.Appendf(nil, outageSpec, d.Root, load, rounds, measure))
	if err != nil {
		t.Fatal(err)
	}
	preparer, err := process.New(func(any) error { return nil }, process.Env{Distribution: d})
	if err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("", "tare-") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	dir := t.TempDir()
	j := runner.Job{
		Dir: filepath.Join(dir, "run"), Experiment: e, Plan: experiment.NewPlan(e), Engine: loadgen.BuiltIn(""), Distribution: d,
		Targets: map[string]target.Target{"a": place, "b": place}, Preparer: preparer, Version: "test",
		State: runner.State{Dir: filepath.Join(short, "s"), RunDir: filepath.Join(short, "r")}, Observe: func(runner.Progress) {},
	}
	if err := record.Create(j.Dir, e, j.Plan); err != nil {
		t.Fatal(err)
	}
	if err := runner.Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.End == nil || trial.End.Outcome != record.Measured {
			t.Errorf("trial %d: %+v", trial.Header.Trial, trial.End)
		}
	}
	res := compare.Run(run)
	of := map[int]lengths{}
	for _, e := range res.Events {
		if e.Timeline == nil {
			t.Fatalf("the events are %+v", res.Events)
		}
		for _, c := range e.Timeline.Trials {
			if len(c.Parts) == 0 {
				t.Errorf("trial %d has no outage that ended: %.0f", c.Trial, c.Throughput)
			}
			parts := lengths{}
			for _, p := range c.Parts {
				parts[p.Name] += p.To - p.From
			}
			of[c.Trial] = parts
		}
	}
	for _, trial := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[trial])
	}
	if len(all) != 2*rounds {
		t.Fatalf("%d outages were measured, want %d: %v", len(all), 2*rounds, all)
	}
	return all
}

// found fails where a part is not what it is known to be.
func found(t *testing.T, all []lengths, want func(outage int) lengths) {
	t.Helper()
	for i, parts := range all {
		t.Logf("outage %d: %v; known: %v", i+1, parts, want(i))
		for name, length := range want(i) {
			if math.Abs(parts[name]-length) > within {
				t.Errorf("outage %d: %s took %.3f s, want %.3f: %v", i+1, name, parts[name], length, parts)
			}
		}
		if parts[compare.PartUnknown] > 0 {
			t.Errorf("outage %d: %.3f s of the outage are unknown", i+1, parts[compare.PartUnknown])
		}
	}
}

// TestRoutingAndReconnect: a proxy that leads to a server again 3 s after that listens, and clients that connect 1 s
// after their last attempt has failed, are found in their parts of the outage. On a busy machine the proxy is late, and
// knows by how much.
func TestRoutingAndReconnect(t *testing.T) {
	t.Parallel()
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	p, err := process.New(func(any) error { return nil }, process.Env{Distribution: d})
	if err != nil {
		t.Fatal(err)
	}
	var proxies []*holder
	place := process.Behind{Target: p, Events: event.Of([]event.Event{{At: seconds(1), Kill: event.TheServer}}, nil), Way: func(s target.Server) target.Client {
		a := s.Address()
		var proxy *holder
		proxy, a.Host, a.Port = holdingBack(t, a.Socket, 3*time.Second)
		proxies, a.Socket = append(proxies, proxy), ""
		return target.Client{Address: a}
	}}
	found(t, outages(t, d, place, ", reconnect: {delay: 1s}", "20s"), func(outage int) lengths {
		return lengths{compare.PartRouting: proxies[outage].took(), compare.PartReconnect: 1}
	})
}

// TestDetection: a primary that is killed is replaced after the time for which it must fail, which is found as detection.
func TestDetection(t *testing.T) {
	needRoot(t)
	t.Parallel()
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	settings := replication.Settings{Mode: replication.Async, Members: 2, Failover: seconds(5)}
	for _, w := range settings.Check(d) {
		t.Skip(w.Err)
	}
	p, err := process.New(func(into any) error {
		one := into.(*process.Settings)
		one.Replication, one.Events = &settings, []event.Event{{At: seconds(1), Kill: event.ThePrimary}}
		return nil
	}, process.Env{Distribution: d})
	if err != nil {
		t.Fatal(err)
	}
	found(t, outages(t, d, p, "", "12s"), func(int) lengths { return lengths{compare.PartDetection: 5} })
}
