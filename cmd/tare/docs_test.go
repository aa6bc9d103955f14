package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shorter are the commands of the docs that are run in a smaller form: what the
// reader waits minutes or hours for. Everything else is run as it is printed.
func shorter() []struct{ command, instead string } {
	return []struct{ command, instead string }{
		{"tare demo", "tare demo --quick --out runs/demo --database rootfs:$TARE_TEST_ROOTFS"},
		{"tare run examples/qos.yaml --out runs/qos", "tare run quick.yaml --out runs/qos"},
		{"tare check examples/qos.yaml", "tare check quick.yaml"},
	}
}

// TestDocs runs every command of README and docs, in order, in one directory: a
// line that begins with `$ ` in a console block. A page that tells people to
// type what does not work is a defect like any other.
func TestDocs(t *testing.T) {
	needRoot(t)
	rootfs := testRootfs(t)
	t.Parallel()
	commands := docCommands(t)
	if len(commands) < 8 {
		t.Fatalf("%d commands found in README and docs; the console blocks are not read", len(commands))
	}
	dir, logs := t.TempDir(), "../../internal/loadgen/testdata/sysbench-2019/"
	for from, to := range map[string]string{
		logs + "bare-metal.log": "bare.log", logs + "besteffort.log": "pod.log",
		"../../examples/qos.yaml": "examples/qos.yaml",
	} {
		copyFile(t, from, filepath.Join(dir, to))
	}
	quick := fmt.Sprintf(killSpec, rootfs, podFirst)
	if err := os.WriteFile(filepath.Join(dir, "quick.yaml"), []byte(quick), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Dir(builtTare(t)) + ":" + os.Getenv("PATH")
	for _, c := range commands {
		line, in := c.line, dir
		if target, ok := strings.CutPrefix(line, "make "); ok {
			line, in = "make --dry-run "+target, "../.." // a target that is there
		}
		for _, s := range shorter() {
			if line == s.command {
				line = s.instead
			}
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "PATH="+path, "TARE_STATE="+filepath.Join(dir, "state"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: $ %s: %v\n%s", c.page, c.line, err, out)
		}
	}
}

type docCommand struct{ page, line string }

func docCommands(t *testing.T) []docCommand {
	t.Helper()
	pages := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, folder := range []string{"docs", "docs/results"} {
		in, err := filepath.Glob("../../" + folder + "/*.md")
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, in...)
	}
	var all []docCommand
	for _, page := range pages {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		console := false
		for line := range strings.Lines(string(b)) {
			line = strings.TrimRight(line, "\n")
			switch {
			case strings.HasPrefix(line, "```"):
				console = line == "```console"
			case console && strings.HasPrefix(line, "$ "):
				all = append(all, docCommand{filepath.Base(page), strings.TrimPrefix(line, "$ ")})
			}
		}
	}
	return all
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
