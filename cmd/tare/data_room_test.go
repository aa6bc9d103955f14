package main

// This file tests which data are refused because the disk cannot have them.

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// ofData is a target of which only what its servers begin with is asked for.
type ofData struct {
	target.Target
	data target.Data
}

func (p ofData) Data() target.Data { return p.data }

// TestLeastData: the least that data take is known for tables of sysbench and warehouses that tare makes, and of
// nothing else.
func TestLeastData(t *testing.T) {
	const row, empty = leastRow, leastDirectory
	for load, want := range map[string]int64{
		"data: {tables: 10, rows: 1000000}\nload: {workload: oltp_read_only, threads: 1}":                                                           10_000_000*row + empty,
		"data: {scale: 10}\nload: {workload: tpcc, threads: 1}":                                                                                     10*leastWarehouse + empty,
		"data: {tables: 1, rows: 1000000}\nload: {workload: bulk_insert, threads: 1}":                                                               0,
		"data: {tables: 1, rows: 1000000}\nload: {workload: oltp_read_only, threads: 1, options: {mysql-table-options: \"ROW_FORMAT=COMPRESSED\"}}": 0,
	} {
		e, err := experiment.Parse("x.yaml", []byte("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\n"+load+
			"\nprotocol: {rounds: 1}\nbaseline: a\narms: {a: {target: process}, b: {target: process}}\n"))
		if err != nil {
			t.Fatalf("%s: %v", load, err)
		}
		for data, want := range map[target.Data]int64{target.Files: want, target.InServer: 0} {
			place := ofData{data: data}
			job := &runner.Job{Experiment: e, Targets: map[string]target.Target{"a": place, "b": place}}
			if got := leastData(job); got != want {
				t.Errorf("%s: at least %d bytes, want %d", load, got, want)
			}
		}
		if found := tooLarge(e, 2<<30, 1<<30, 2<<30, "/disk"); found != nil {
			t.Errorf("%s: what fits is refused: %v", load, found)
		}
		found := tooLarge(e, 2<<30, 1<<30, 1<<30, "/disk")
		if len(found) != 1 || !strings.Contains(found[0].Message, "at least 1.0 GiB; the prepared data and a copy for one server need 2.0 GiB, and 1.0 GiB are free in /disk") {
			t.Errorf("%s: %v", load, found)
		}
	}
}
