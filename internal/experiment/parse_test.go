package experiment

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const good = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: qos}
database:
  image: rootfs:/srv/mysql
  config: {innodb_buffer_pool_size: 1G, max_connections: 010}
data: {tables: 4, rows: 25_000}
load: {workload: oltp_read_only, threads: [8, 64], rate: 2.5e3/s}
protocol: {rounds: {pilot: 8, max: 40}, precision: 1%, warmup: 30s, measure: 2m, margin: 0.5%, seed: 7, aa: false}
baseline: bare
arms:
  bare: {target: process}
  guaranteed:
    target: container
    qos: Guaranteed
    cpu: max
    config: {innodb_buffer_pool_size: 2G}
`

func TestParse(t *testing.T) {
	e, err := Parse("good.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if e.Database.Rootfs != "/srv/mysql" || e.Database.Image != "" {
		t.Errorf("database = %+v", e.Database)
	}
	if diff := cmp.Diff(Load{Engine: "tare", Workload: "oltp_read_only", Threads: Counts{8, 64}, Rate: 2500, Percentile: 95}, e.Load); diff != "" {
		t.Error(diff)
	}
	never := false
	want := Protocol{
		AA:     &never,
		Rounds: Rounds{Pilot: 8, Max: 40}, Precision: 0.01, Margin: 0.005, Order: Random, Seed: 7,
		Warmup: Duration(30 * time.Second), Measure: Duration(2 * time.Minute), Ready: Duration(2 * time.Minute), Probes: ProbesOn,
	}
	if diff := cmp.Diff(want, e.Protocol); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"bare", "guaranteed"}, e.Arms.Names()); diff != "" {
		t.Error(diff)
	}
	arm, _ := e.Arm("guaranteed")
	// Options reach the server as they are written: 010 is not eight.
	config := map[string]string{"innodb_buffer_pool_size": "2G", "max_connections": "010"}
	if diff := cmp.Diff(config, e.Settings(arm)); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeSettings(t *testing.T) {
	e, err := Parse("good.yaml", []byte(strings.Replace(good, "    cpu: max\n", "    cpu: max\n    memori: 1Gi\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		QoS    string `yaml:"qos"`
		CPU    int    `yaml:"cpu"`
		Memory string `yaml:"memory"`
	}
	arm, _ := e.Arm("guaranteed")
	err = arm.Decode(&settings)
	want := `good.yaml:16:10: arms.guaranteed.cpu: expected a whole number, not "max"
good.yaml:17:5: arms.guaranteed.memori: unknown field for target container; did you mean memory?`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	if settings.QoS != "Guaranteed" {
		t.Errorf("qos = %q", settings.QoS)
	}
}

// TestBadInput holds every message against a golden file: each mistake is named
// with its place and with the fix, all of a file at once.
func TestBadInput(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata/bad/*.yaml", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(filepath.Base(file), text)
			var problems Problems
			if !errors.As(err, &problems) {
				t.Fatalf("error is %T (%v), not Problems", err, err)
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err2 := os.ReadFile(golden)
			if err2 != nil {
				t.Fatal(err2)
			}
			if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	if _, err := Parse("x", make([]byte, MaxSize+1)); err == nil {
		t.Error("a file beyond the limit was read")
	}
}

// FuzzParse: no input may crash the parser, keep it busy, or get past it with
// an experiment that cannot be planned.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(layered(threeLayers + "  after: {quota: container}\n")))
	bad, _ := filepath.Glob("testdata/bad/*.yaml")
	for _, file := range bad {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := Parse("fuzz.yaml", text)
		if err != nil {
			return
		}
		if _, ok := e.Arm(e.Baseline); !ok || len(e.Arms) < 2 || len(e.Load.Threads) == 0 {
			t.Fatalf("accepted: %+v", e)
		}
		if e.Protocol.Rounds.Max*len(e.Arms)*len(e.Load.Threads) < 100_000 {
			p := NewPlan(e)
			if err := p.Check(e); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range e.Arms {
			var settings struct {
				CPU string `yaml:"cpu"`
			}
			_ = a.Decode(&settings) // must not panic
		}
	})
}

// TestDeepNestingIsRefused before the library reads it, which would take gigabytes. Nested
// flow collections that are closed again are fine.
func TestDeepNestingIsRefused(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 30_000), strings.Repeat("{a: ", 30_000), "x:\n" + strings.Repeat("- ", 30_000),
		strings.Repeat("? ", 30_000), strings.Repeat("[\n", 30_000),
	} {
		if _, err := Parse("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "levels of nesting") {
			t.Errorf("%.8q...: %v", text, err)
		}
	}
	if line := tooDeep([]byte(strings.Repeat("a: [{b: [c]}]\n", 1000))); line != 0 {
		t.Errorf("line %d is refused", line)
	}
}

// TestAliasBomb: lists that hold each other ten times, ten deep, are refused by line without
// being written out, which would be 10^10 values.
func TestAliasBomb(t *testing.T) {
	var text strings.Builder
	text.WriteString("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nload: {threads: 1}\nbaseline: a\narms:\n  a: {target: process}\n  b:\n    target: process\n    config:\n      z0: &z0 [x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&text, "      z%d: &z%d [%s*z%d]\n", i, i, strings.Repeat(fmt.Sprintf("*z%d, ", i-1), 9), i-1)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse("x.yaml", []byte(text.String()))
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "x.yaml:20:11: arms.b.config.z9: expected one value, not a list") {
		t.Errorf("%v", err)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 256 {
		t.Errorf("%d MiB were allocated", got)
	}
}

// TestDecodeIntoMap: settings are a struct, whose fields are known; anything else is an
// error, not a crash.
func TestDecodeIntoMap(t *testing.T) {
	e, err := Parse("x.yaml", []byte("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nload: {threads: 1}\nbaseline: a\narms: {a: {target: process, cpu: 1}, b: {target: process, cpu: 1}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	for _, into := range []any{&m, m, nil} {
		if err := e.Arms[0].Decode(into); err == nil {
			t.Errorf("%T: no error", into)
		}
	}
}
