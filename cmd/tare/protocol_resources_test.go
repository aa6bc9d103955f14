package main

// This file tests how much disk space the servers of a run by slices need.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// ofVolume is a target of which only the volume is asked for.
type ofVolume struct {
	target.Target
	disk, memory int64
}

func (p ofVolume) Capabilities() target.Capabilities {
	if p.disk+p.memory == 0 {
		return target.Capabilities{}
	}
	return target.Capabilities{Volume: func(int64) (disk, memory int64) { return p.disk, p.memory }}
}

// TestVolumesNeedSpace: a block device has its size reserved, so that all of a round must fit on the disk. The
// data directory of a server with a volume is emptied once the volume is filled: of those, one at a time is there.
func TestVolumesNeedSpace(t *testing.T) {
	const gi = 1 << 30
	e, err := experiment.Parse("x.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: volumes}
database: {config: {innodb_redo_log_capacity: 2G}}
data: {tables: 10, rows: 100000}
protocol: {rounds: 1, aa: true}
load: {threads: 1}
baseline: a
arms: {a: {target: container}, b: {target: container}, c: {target: container}}
`))
	if err != nil {
		t.Fatal(err)
	}
	job := &runner.Job{Experiment: e, Distribution: mysqld.Distribution{Flavour: mysqld.MySQL, Version: "8.4.6"}}
	each := dataBytes(job, nil)
	if each < 24*gi/10 || each > 27*gi/10 { // measured: 2.4 GiB, of which 2 GiB are redo log
		t.Fatalf("a data directory of about %s", gib(each))
	}
	from := &dataPlan{size: backup.Size{Bytes: 20 * gi}, known: true, restored: true}
	for _, c := range []struct {
		name   string
		places [3]ofVolume
		source *dataPlan
		needed int64
		code   string
	}{
		{"on the disk", [3]ofVolume{}, nil, 5 * each, "disk"},
		{"on block devices", [3]ofVolume{{disk: 6 * gi}, {disk: 6 * gi}, {disk: 6 * gi}}, nil, 2*each + 24*gi, "volumes"},
		{"one on a block device", [3]ofVolume{{}, {disk: 6 * gi}, {}}, nil, 5*each + 6*gi, "volumes"},
		{"in memory", [3]ofVolume{{memory: gi}, {memory: gi}, {memory: gi}}, nil, 2 * each, "disk"},
		{"own data on block devices", [3]ofVolume{{disk: 44 * gi}, {disk: 44 * gi}, {disk: 44 * gi}}, from, from.needs(1) + 4*44*gi, "copies"},
	} {
		job.Targets = map[string]target.Target{"a": c.places[0], "b": c.places[1], "c": c.places[2]}
		if why := shortOfDisk(job, c.source, c.needed, "/disk"); why != nil {
			t.Errorf("%s: with %s: %+v", c.name, gib(c.needed), why)
		}
		why := shortOfDisk(job, c.source, c.needed-1, "/disk")
		if codeOf(why) != c.code {
			t.Errorf("%s: %+v, want %s", c.name, why, c.code)
			continue
		}
		if says := language.English().Why(*why); c.code == "volumes" && !strings.Contains(says, fmt.Sprintf("4 servers at once need about %s of disk, ", gib(c.needed))) || strings.Contains(says, "{") {
			t.Error(says)
		}
	}
}
