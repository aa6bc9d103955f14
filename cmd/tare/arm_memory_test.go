package main

import (
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
)

// limitedTarget is a target with a memory limit, and an image where its files are not this host's.
type limitedTarget struct {
	target.Target
	mebibytes int64
	program   string
}

func (l limitedTarget) Capabilities() target.Capabilities {
	return target.Capabilities{MemoryLimit: l.mebibytes << 20, Program: l.program}
}

// shortSpec is an experiment whose arm b is what a test writes.
const shortSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: short}
database: {config: {innodb_buffer_pool_size: 256M}}
data: {tables: 4, rows: 600000}
load: {workload: oltp_read_write, threads: THREADS, engine: tare}
baseline: a
defaults: {target: kubernetes, image: "IMAGE", qos: Guaranteed, cpu: 1, memory: 2Gi}
arms:
  a: {}
  b: ARM
`

// TestRefusedMemory: an arm is refused where its limit certainly does not hold the server, as lint refuses the same values;
// it is named where that is likely, and where the memory is all that it changes: then it is what is measured. With 64
// connections of oltp_read_write MySQL 9.7 had 705 MiB of anonymous memory with a buffer pool of 128 MiB.
func TestRefusedMemory(t *testing.T) {
	for name, c := range map[string]struct{ image, threads, arm, refused, said string }{
		"certain":            {"mysql:8.4", "8", "{cpu: 2, memory: 512Mi}", "more than its memory limit of 512Mi: the kernel will end it under this load. Raise the limit to 768Mi, or ", ""},
		"before it answers":  {"mysql:8.4", "8", "{cpu: 2, memory: 400Mi}", "more than its memory limit of 400Mi: the kernel will end it before it answers", ""},
		"likely":             {"mysql:8.4", "8", "{cpu: 2, memory: 700Mi}", "", "the kernel may end it under this load"},
		"connections":        {"mysql:8.4", "64", "{cpu: 2, memory: 768Mi, config: {innodb_buffer_pool_size: 128M}}", "", "connections at work (64) 203"},
		"few connections":    {"mysql:8.4", "8", "{cpu: 2, memory: 768Mi, config: {innodb_buffer_pool_size: 128M}}", "", ""},
		"on purpose":         {"mysql:8.4", "8", "{memory: 512Mi}", "", "the kernel will end it under this load"},
		"no release":         {"localhost/mysql:1", "8", "{cpu: 2, memory: 640Mi}", "", "the image names no release; if it is MySQL 8.4 or later, mysqld takes up to about "},
		"no release, little": {"localhost/mysql:1", "8", "{cpu: 2, memory: 400Mi}", "the kernel will end it under this load", ""},
		// MySQL 8.0 takes less than 512Mi, and MySQL 9.7 was killed with it.
		"no release, the larger": {"localhost/mysql:1", "8", "{cpu: 2, memory: 256Mi, config: {innodb_buffer_pool_size: 64M}}", "Raise the limit to 768Mi, or ", ""},
		"no release, enough":     {"mysql:latest", "8", "{cpu: 2, memory: 1Gi}", "", ""},
		"below the pool":         {"mysql:8.4", "8", "{memory: 256Mi}", "the limit of 256Mi cannot hold the buffer pool of 256Mi", ""},
	} {
		t.Chdir(t.TempDir())
		text := strings.NewReplacer("IMAGE", c.image, "THREADS", c.threads, "ARM", c.arm).Replace(shortSpec)
		if err := os.WriteFile("x.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := tareSays("check", "--offline", "x.yaml")
		if c.refused != "" {
			if code != exitInvalid || !strings.Contains(errs, "arms.b.memory: ") || !strings.Contains(errs, c.refused) {
				t.Errorf("%s: code %d, %q, want %q", name, code, errs, c.refused)
			}
			continue
		}
		if code != exitDone || c.said == "" && strings.Contains(out, "memory limit") || !strings.Contains(out, c.said) {
			t.Errorf("%s: code %d, %q, want %q; %s", name, code, out, c.said, errs)
		}
	}
}

// TestShortOfMemory: check and run say that a memory limit does not hold the server, with the figure, where real servers
// were killed: MySQL 9.7 with a buffer pool of 128 MiB was killed before it answered with 448 MiB and less, under
// oltp_read_write with 8 threads with 512 and 576 MiB, and not with 640; MariaDB 11.8 was not with 320.
func TestShortOfMemory(t *testing.T) {
	mysql, mariadb := mysqld.Distribution{Flavour: mysqld.MySQL, Version: "9.7.4-2"}, mysqld.Distribution{Flavour: mysqld.MariaDB, Version: "11.8.9-MariaDB"}
	const before, load = " end it before it answers", " end it under this load"
	for name, c := range map[string]struct {
		server    mysqld.Distribution
		mebibytes int64
		rows      int64
		image     string
		config    map[string]string
		want      string
	}{
		"far too little":          {mysql, 384, 600000, "", nil, "will" + before},
		"too little to start":     {mysql, 448, 600000, "", nil, "may" + before},
		"too little":              {mysql, 512, 600000, "", nil, "will" + load},
		"a little too little":     {mysql, 576, 600000, "", nil, "may" + load},
		"enough":                  {mysql, 640, 600000, "", nil, ""},
		"few rows":                {mysql, 512, 1000, "", nil, ""},
		"no performance_schema":   {mysql, 448, 600000, "", map[string]string{"performance_schema": "OFF"}, ""},
		"a small pool":            {mysql, 512, 600000, "", map[string]string{"innodb-buffer-pool-size": "32M"}, ""},
		"a large pool":            {mysql, 1024, 6000000, "", map[string]string{"innodb_buffer_pool_size": "768M"}, "will" + load},
		"MariaDB has enough":      {mariadb, 320, 600000, "", nil, ""},
		"MariaDB has too little":  {mariadb, 160, 600000, "", nil, "will" + load},
		"no limit":                {mysql, 0, 600000, "", nil, ""},
		"an operator's":           {mysql, 512, 600000, "operator x", nil, ""},
		"a large pool of MariaDB": {mariadb, 512, 6000000, "", map[string]string{"innodb_buffer_pool_size": "500M"}, "may" + load},
	} {
		job := membersJob(t, 2, process.Settings{})
		job.Distribution, job.Experiment.Data.Rows, job.Experiment.Database.Config = c.server, c.rows, c.config
		for _, arm := range []string{"a0", "a1"} {
			job.Targets[arm] = limitedTarget{mebibytes: c.mebibytes, program: c.image}
		}
		if c.image != "" {
			for i := range job.Experiment.Arms {
				job.Experiment.Arms[i].Target = "kubernetes"
			}
		}
		short := shortOfMemory(job)
		got := ""
		if len(short) > 0 {
			got = short[0].line()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || c.want != "" && !strings.HasPrefix(got, "arms a0, a1: mysqld takes up to about ") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		first, want := readiness("x.yaml", short, nil, 0, nil), "x.yaml: ready to run"
		if c.want != "" {
			want = "x.yaml: can be run, but 2 arms have too little memory for the server"
		}
		if first != want {
			t.Errorf("%s: %q, want %q", name, first, want)
		}
	}
}

// TestMemoryOfImage: of a pod, the image says what the server is; a tag that says no release counts as the one that
// takes least.
func TestMemoryOfImage(t *testing.T) {
	for image, want := range map[string]string{
		"mysql:9.4": "will end it under this load", "mysql:latest": "may end it under this load", "mariadb:11.8": "", "registry/app:9": "",
	} {
		job := membersJob(t, 2, process.Settings{})
		job.Experiment.Data.Rows, job.Experiment.Database.Config, job.Experiment.Arms[1].Target = 600000, nil, "kubernetes"
		mebibytes := int64(512)
		if image == "mysql:latest" {
			mebibytes = 448
		}
		job.Targets["a0"], job.Targets["a1"] = limitedTarget{}, limitedTarget{mebibytes: mebibytes, program: "image " + image}
		got := ""
		for _, s := range shortOfMemory(job) {
			got = s.line()
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", image, got, want)
		}
	}
}

// TestReadinessOfTwo: what may be wrong and what was not checked are one sentence.
func TestReadinessOfTwo(t *testing.T) {
	const want = "x.yaml: can be run, but an option may be misspelt (warning below), and the nodes were not checked: why"
	if got := readiness("x.yaml", nil, nil, 1, []string{"the nodes were not checked: why"}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
