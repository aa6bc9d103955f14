package main

// Kills of tare in a round whose arms take turns: most of the servers are frozen then.

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const killSlicesSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: killed-slices}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 200}
load: {workload: oltp_point_select, threads: 2, rate: 50/s}
protocol: {kind: slices, slice: 200ms, leadIn: 20ms, rounds: 1, warmup: 0s, measure: 1s, ready: 300s, voids: 0}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container, qos: Burstable, cpuRequest: 100m, neighbour: {cpu: 100m, memory: 16Mi}}
`

// TestKilledSlicesAreThawed kills tare while servers are frozen. clean and resume thaw
// and remove them all, and the round is measured again. `make crash` adds every other point
// of such a round and 30 random moments.
func TestKilledSlicesAreThawed(t *testing.T) {
	k, dir := newKillable(t)
	k.write(t, killSlicesSpec)
	whole := filepath.Join(dir, "whole")
	all := k.points(t, "run", k.spec, "--out", whole)
	points := counted(all[slices.Index(all, dataReady):])
	k.cleaned(t)
	turns := slices.DeleteFunc(slices.Clone(points), func(p string) bool { return !strings.HasPrefix(p, "turns: ") })
	if len(turns) < 8 {
		t.Fatalf("turns are at %q only", turns)
	}
	random := 0
	if crashing() {
		random, turns = 30, trialPoints(points)
	} else {
		turns = spread(turns, 5)
	}
	k.finish(t, k.killAt(t, filepath.Join(dir, "run"), turns), whole)
	k.killAtRandom(t, dir, whole, random)
	k.cleaned(t)
	k.onlyCaches(t)
	k.told(t)
}
