package main

// Kills in trials of a replicated database: of tare, and of a member.

import (
	"path/filepath"
	"slices"
	"testing"
)

const killMembersSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: members}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}
data: {tables: 1, rows: 200}
load: {engine: sysbench, workload: oltp_point_select, threads: 2, rate: 50/s}
protocol: {rounds: %d, warmup: 0s, measure: 2s, ready: 300s, aa: false, voids: 0, seed: %d}
baseline: alone
defaults: {target: process, client: other-node}
arms:
  alone: {}
  replicated: {replication: {mode: async, members: 2}}
`

// TestKilledReplicationIsFinished kills tare while the members of a database are started and
// joined, and then a member under load. clean and resume remove all servers and links; the
// trial whose member was lost says so, and every other one is measured. `make crash` has
// every point of such a trial, and the member at every step.
func TestKilledReplicationIsFinished(t *testing.T) {
	k, dir := newKillable(t)
	k.write(t, killMembersSpec, 1, replicatedFirst)
	run := filepath.Join(dir, "run")
	if !crashing() {
		k.killAt(t, run, []string{"members: before member 2#1", "trial: before join members#1"})
		k.killOthersIn(t, run, []otherKill{{"mysqld", "trial: facts read"}}, "run", "--resume", run)
		return
	}
	whole := filepath.Join(dir, "whole")
	all := k.points(t, "run", k.spec, "--out", whole)
	points := trialPoints(counted(all[slices.Index(all, dataReady):]))
	k.finish(t, k.killAt(t, run, points), whole)
	k.write(t, killMembersSpec, (len(serverKills())+1)/2+1, replicatedFirst)
	k.killOthers(t, filepath.Join(dir, "others"), serverKills())
	k.told(t)
}

// replicatedFirst is a seed with which the plan begins with the replicated database.
const replicatedFirst = 1
