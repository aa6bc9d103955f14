package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// docPages are the pages whose commands and experiments are tested.
func docPages(t *testing.T) []string {
	t.Helper()
	pages := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, folder := range []string{"docs", "docs/results"} {
		in, err := filepath.Glob("../../" + folder + "/*.md")
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, in...)
	}
	return pages
}

func docCommands(t *testing.T) []docCommand {
	t.Helper()
	var all []docCommand
	for _, page := range docPages(t) {
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

// TestSpecsOfDocs checks every whole experiment of the pages, with the files that it names made up where they have to be
// there.
func TestSpecsOfDocs(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"shop.yaml": "apiVersion: tarebench.io/v1alpha1\nkind: Workload\nmetadata: {name: shop}\ntransactions:\n  look:\n    autocommit: true\n    statements:\n      - {sql: SELECT 1}\n",
		"shop.sql":  "CREATE TABLE t (id INT PRIMARY KEY);\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there := strings.NewReplacer("/backup/shop.sql.zst", filepath.Join(dir, "shop.sql"), "/srv/mysql-8.4", testRootfs(t))
	specs := 0
	for _, block := range docBlocks(t, "yaml") {
		if !strings.Contains(block.text, "kind: Experiment\n") {
			continue
		}
		specs++
		file := filepath.Join(dir, "experiment.yaml")
		if err := os.WriteFile(file, []byte(there.Replace(block.text)), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, conversation bytes.Buffer
		if code := run([]string{"check", "--offline", file}, &terminal{in: os.Stdin, out: &out, err: &conversation, stateDir: dir}); code != 0 {
			t.Errorf("%s: exit code %d\n%s%s%s", block.page, code, block.text, out.String(), conversation.String())
		}
	}
	if specs < 3 {
		t.Errorf("%d experiments found in docs", specs)
	}
}

// TestFlagsOfDocs: every command of tare in a block of shell lines has a verb and flags that there are.
func TestFlagsOfDocs(t *testing.T) {
	commands := 0
	for _, block := range docBlocks(t, "sh") {
		for line := range strings.Lines(strings.ReplaceAll(block.text, "\\\n", " ")) {
			m := runsTare.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil || strings.Contains(line, "$(") {
				continue
			}
			words, _, _ := strings.Cut(m[1], " #")
			words, _, _ = strings.Cut(words, " >")
			words, _, _ = strings.Cut(words, " |")
			commands++
			verb, rest, err := rootCommand(&terminal{}).Find(strings.Fields(words))
			if err == nil && !verb.DisableFlagParsing {
				err = verb.ParseFlags(rest)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", block.page, strings.TrimSpace(line), err)
			}
		}
	}
	if commands < 40 {
		t.Errorf("%d commands found in docs", commands)
	}
}

// runsTare is a line of a shell that calls tare, perhaps at the end of a pipe.
var runsTare = regexp.MustCompile(`(?:^|[|&] )(?:sudo )?(?:[A-Z_]+=\S* )*tare (.*)`)

type docBlock struct{ page, text string }

// docBlocks are the blocks of the pages in a language.
func docBlocks(t *testing.T, language string) (all []docBlock) {
	t.Helper()
	for _, page := range docPages(t) {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		inside, text := false, ""
		for line := range strings.Lines(string(b)) {
			switch {
			case inside && strings.HasPrefix(strings.TrimSpace(line), "```"):
				all = append(all, docBlock{filepath.Base(page), text})
				inside, text = false, ""
			case inside:
				text += line
			default:
				inside = strings.TrimSpace(line) == "```"+language
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
