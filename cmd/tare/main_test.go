package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// The test binary is tare itself: what the scripts run is the real main. They wait
// for servers, disks and windows more than they compute, so more of them run at a time
// than there are processors, unless -parallel says otherwise.
func TestMain(m *testing.M) {
	if err := os.Setenv("TMPDIR", mysqldtest.TempDir()); err != nil {
		panic(err)
	}
	if err := flag.Set("test.parallel", strconv.Itoa(max(4, runtime.NumCPU()))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"tare": main, "kubectl-tare": main})
}

// TestScripts runs testdata/*.txtar. Each is one behaviour of the command line,
// to be read as documentation.
func TestScripts(t *testing.T) {
	t.Parallel()
	p := scripts(t)
	p.Dir = "testdata"
	testscript.Run(t, p)
}

// TestEffects runs testdata/effects/*.txtar, whose outcome depends on what was
// measured: one after another, before all tests that are parallel, and on the disk.
func TestEffects(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "effects", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p := scripts(t)
			p.Files, p.WorkdirRoot = []string{file}, diskDir(t)
			testscript.Run(t, p)
		})
	}
}

// TestWaiting runs testdata/waiting/*.txtar, which measure as well, on the disk, but mostly wait for
// servers that do not answer: beside other tests.
func TestWaiting(t *testing.T) {
	t.Parallel()
	p := scripts(t)
	p.Dir, p.WorkdirRoot = filepath.Join("testdata", "waiting"), diskDir(t)
	testscript.Run(t, p)
}

// diskDir makes a directory that is not in memory (file-hierarchy(7)): there nothing can
// be said of a disk's bounds, and a sync costs nothing.
func diskDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "tare")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// scripts is what all scripts have: the real tare, and a state directory each.
func scripts(t *testing.T) testscript.Params {
	t.Helper()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Abs("../../internal/loadgen/testdata/sysbench-2019")
	if err != nil {
		t.Fatal(err)
	}
	packets, err := filepath.Abs("testdata/shop.pcap.gz")
	if err != nil {
		t.Fatal(err)
	}
	built := builtTare(t)
	return testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("LOGS", logs)
			e.Setenv("PACKETS", packets)
			e.Setenv("ROOTFS", os.Getenv("TARE_TEST_ROOTFS"))
			e.Setenv("BUILT", built)
			e.Setenv("TARE_STATE", filepath.Join(e.WorkDir, "state"))
			e.Setenv("LANG", "C")
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root": // containers, chroot and cgroups need it
				return os.Geteuid() == 0, nil
			case "mysql":
				return os.Getenv("TARE_TEST_ROOTFS") != "", nil
			}
			return false, fmt.Errorf("no condition is called %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"jsonpath": jsonPath,
			"bigline":  bigLine,
			"exitcode": exitCodeOf,
			"again":    runAgain,
		},
	}
}

// jsonPath FILE PATH OP VALUE holds one value of a JSON file against another:
// `jsonpath out.json arms.0.throughput_mean = 22128.67 0.005`. OP is =, < or >.
func jsonPath(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: jsonpath FILE PATH =|<|> VALUE [TOLERANCE]")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	for _, key := range strings.Split(args[1], ".") {
		switch node := doc.(type) {
		case map[string]any:
			doc = node[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(node) {
				ts.Fatalf("%s: no element %q among %d", args[1], key, len(node))
			}
			doc = node[i]
		default:
			ts.Fatalf("%s: nothing at %q", args[1], key)
		}
	}
	got, isNumber := doc.(float64)
	if !isNumber {
		if b, err := json.Marshal(doc); err != nil || (string(b) != args[3] && fmt.Sprint(doc) != args[3]) {
			ts.Fatalf("%s is %s, want %s", args[1], b, args[3])
		}
		return
	}
	want, err := strconv.ParseFloat(args[3], 64)
	ts.Check(err)
	tolerance := 0.0
	if len(args) > 4 {
		tolerance, err = strconv.ParseFloat(args[4], 64)
		ts.Check(err)
	}
	ok := map[string]bool{"=": math.Abs(got-want) <= tolerance, "<": got < want, ">": got > want}[args[2]]
	if !ok {
		ts.Fatalf("%s is %v, want %s %v", args[1], got, args[2], want)
	}
}

// exitCodeOf WANT COMMAND... runs a command that has to end with this exit code.
func exitCodeOf(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// runAgain PATTERN DIR COMMAND... runs a command that makes the run DIR, at most three times, as long
// as its stderr matches the pattern: where a server or a load has no CPU during a short window,
// nothing is committed in it and its trial is starved.
func runAgain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: again PATTERN DIR COMMAND...")
	}
	disturbed, err := regexp.Compile(args[0])
	ts.Check(err)
	for attempt := 1; ; attempt++ {
		err := ts.Exec(args[2], args[3:]...)
		if attempt == 3 || !disturbed.MatchString(ts.ReadFile("stderr")) {
			ts.Check(err)
			return
		}
		ts.Logf("attempt %d was disturbed", attempt)
		ts.Check(os.RemoveAll(ts.MkAbs(args[1])))
	}
}

// bigLine FILE writes one line of a GiB, as a sparse file: it takes no room on
// disk, but whoever reads it whole takes a GiB of memory.
func bigLine(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.Truncate(ts.MkAbs(args[0]), 1<<30))
}

// testRootfs is the root file system with a MySQL that servers of tests start from; the
// test is skipped without it.
func testRootfs(t *testing.T) string {
	t.Helper()
	rootfs := os.Getenv("TARE_TEST_ROOTFS")
	if rootfs == "" {
		t.Skip("TARE_TEST_ROOTFS names no root file system with a MySQL; make test makes one")
	}
	return rootfs
}

// needRoot skips a test whose containers and cgroups nobody but root can make.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

// builtTare is the real binary, as it is released, built once per test run.
func builtTare(t *testing.T) string {
	t.Helper()
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// buildOnce builds into the directory of testscript's commands, which is removed
// when the last test has ended.
var buildOnce = sync.OnceValues(func() (string, error) {
	command, err := exec.LookPath("tare")
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(command), "built", "tare")
	build := goBuild(path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// goBuild is the command that builds tare, with the Makefile's flags, by which it is compiled
// already.
func goBuild(path, program string) *exec.Cmd {
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-w", "-o", path, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	return build
}
