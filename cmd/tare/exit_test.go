package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const head = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
data: {tables: 1, rows: 100}
protocol: {rounds: 1, warmup: 0s, measure: 1s}
`

// TestInvalidInputEndsWithTwo runs every kind of wrong input through the real
// command line: exit code 2, an error that names the place, no run directory.
func TestInvalidInputEndsWithTwo(t *testing.T) {
	rootfs := testRootfs(t)
	arms := "baseline: a\narms:\n  a: {target: process}\n  b: "
	server := "database: {rootfs: " + rootfs + "}\n"
	for name, c := range map[string]struct{ spec, want string }{
		"unknown field":          {head + server + arms + "{target: container, qos: BestEffort, cpuu: 1}", "x.yaml:10:43: arms.b.cpuu: unknown field for target container; did you mean cpu?"},
		"wrong type":             {head + server + "load: {threads: many}\n" + arms + "{target: process}", "load.threads: "},
		"arm without target":     {head + server + arms + "{}", "arms.b: the arm has no target"},
		"unknown target":         {head + server + arms + "{target: docker}", `arms.b.target: unknown target "docker"`},
		"baseline is not an arm": {strings.Replace(head+server+arms+"{target: process}", "baseline: a", "baseline: z", 1), `unknown arm "z"`},
		"cpu above the machine":  {head + server + arms + "{target: container, qos: Guaranteed, cpu: 4096, memory: 1Gi}", "x.yaml:10:48: arms.b.cpu"},
		"memory below the pool":  {head + server + arms + "{target: container, qos: Guaranteed, cpu: 1, memory: 64Mi}", "x.yaml:10:59: arms.b.memory: the limit of 64Mi cannot hold the buffer pool of 128Mi"},
		"missing binary":         {head + "database: {path: /no/such/mysqld}\n" + arms + "{target: process}", "x.yaml:6:18: database.path: "},
		"unreadable root":        {head + "database: {rootfs: /no/such/root}\n" + arms + "{target: process}", "x.yaml:6:20: database.rootfs: "},
		"root without a server":  {head + "database: {rootfs: " + t.TempDir() + "}\n" + arms + "{target: process}", "database.rootfs: "},
		"zero threads":           {head + server + "load: {threads: 0}\n" + arms + "{target: process}", "load.threads: 1 to 100000 threads are possible, not 0"},
		"option of MariaDB":      {head + "database: {rootfs: " + rootfs + ", config: {innodb_log_file_size: 1G, aria_block_size: 8K}}\n" + arms + "{target: process}", "database.config.aria_block_size: the server refuses this option"},
		"datadir set by hand":    {head + "database: {rootfs: " + rootfs + ", config: {datadir: /tmp}}\n" + arms + "{target: process}", "database.config.datadir: "},
		"unknown option":         {head + "database: {rootfs: " + rootfs + ", config: {no_such_option: 1}}\n" + arms + "{target: process, config: {nor_this: 2}}", "database.config.no_such_option: the server refuses this option: unknown variable 'no_such_option=1'"},
		"option of an arm":       {head + server + arms + "{target: process, config: {nor_this: 2}}", "x.yaml:10:43: arms.b.config.nor_this: the server refuses this option: unknown variable 'nor_this=2'"},
		"of file and machine":    {head + server + "load: {thread: 8}\n" + arms + "{target: container, qos: Guaranteed, cpu: 4096, memory: 1Gi}", "x.yaml:11:48: arms.b.cpu: 4096 "},
		"unknown workload":       {head + server + "load: {workload: oltp_reed_only}\n" + arms + "{target: process}", "load: "},
		"unknown engine":         {head + server + "load: {engine: jmeter}\n" + arms + "{target: process}", "load.engine: "},
		"password in the file":   {head + server + arms + "{target: external, host: 127.0.0.1, user: x, password: secret}", "arms.b.password"},
		"BestEffort with limits": {head + server + arms + "{target: container, qos: BestEffort, cpu: 1}", "arms.b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			spec, made := filepath.Join(dir, "x.yaml"), filepath.Join(dir, "made")
			if err := os.WriteFile(spec, []byte(c.spec), 0o644); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			state := filepath.Join(dir, "state")
			code := run([]string{"run", spec, "--out", made, "--state", state}, &terminal{out: &out, err: &errs})
			if code != exitInvalid || !strings.Contains(errs.String(), c.want) {
				t.Errorf("exit %d, want 2, with %q:\n%s", code, c.want, errs.String())
			}
			if name == "zero threads" && strings.Contains(errs.String(), "must be at least") {
				t.Errorf("one mistake is two problems:\n%s", errs.String())
			}
			if strings.Contains(errs.String(), "secret") {
				t.Error("the error repeats a password")
			}
			for _, path := range []string{made, filepath.Join(state, "instances")} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s was made", path)
				}
			}
		})
	}
}
