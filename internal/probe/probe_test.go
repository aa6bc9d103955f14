package probe

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tree is a machine's files as testdata has them.
func tree(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := fstest.MapFS{}
	for _, f := range a.Files {
		root[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return root
}

// once reads all probes of a place and says what they put, or why they cannot.
func once(p Place) map[string]string {
	all := map[string]string{}
	for _, probe := range All() {
		read, err := probe.Start(p)
		if err == nil {
			err = read(context.Background(), func(name string, v float64) { all[name] = fmt.Sprintf("%.0f", v) })
		}
		if err != nil {
			all["probe."+probe.Name] = "unknown: " + reason(err)
		}
	}
	return all
}

// TestTrees reads machines' files and holds every value against the golden file.
func TestTrees(t *testing.T) {
	for name, place := range map[string]Place{
		"v1": {PID: 4242, DataDir: "/mnt/tare/data/"},
		"v2": {PID: 4242, DataDir: "/var/lib/mysql"},
	} {
		place.Root = tree(t, name)
		values := once(place)
		var b strings.Builder
		for _, key := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&b, "%s %s\n", key, values[key])
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDeclared: a value that no metric declares would be lost on its reader, and
// a name that two probes declare would be counted twice.
func TestDeclared(t *testing.T) {
	declared := map[string]record.Metric{}
	for _, p := range All() {
		for _, m := range p.Metrics {
			if _, twice := declared[m.Name]; twice || m.Help == "" || m.Unit == "" {
				t.Errorf("%s: declared twice (%v), or without help or unit: %+v", p.Name, twice, m)
			}
			declared[m.Name] = m
		}
	}
	for _, name := range []string{"v1", "v2"} {
		for metric := range once(Place{Root: tree(t, name), PID: 4242, DataDir: "/mnt/tare/data"}) {
			if _, ok := declared[metric]; !ok && !strings.HasPrefix(metric, "probe.") {
				t.Errorf("%s is put and not declared", metric)
			}
		}
	}
}

// TestNothingThere: an empty machine is all unknowns and no crash.
func TestNothingThere(t *testing.T) {
	for name, v := range once(Place{Root: fstest.MapFS{}, PID: 1, DataDir: "/data"}) {
		if !strings.HasPrefix(v, "unknown: ") {
			t.Errorf("%s = %s out of nothing", name, v)
		}
	}
}

// TestThreadsThatEnd: what a thread came to stays in the sum when it has ended,
// and another thread of its number starts again.
func TestThreadsThatEnd(t *testing.T) {
	root := fstest.MapFS{}
	thread := func(id, name, stat string) {
		root["proc/7/task/"+id+"/comm"] = &fstest.MapFile{Data: []byte(name + "\n")}
		root["proc/7/task/"+id+"/schedstat"] = &fstest.MapFile{Data: []byte(stat + "\n")}
	}
	thread("7", "mysqld", "100 10 1")
	thread("8", "connection", "1000 200 5")
	read, err := serverThreads().Start(Place{Root: root, PID: 7})
	if err != nil {
		t.Fatal(err)
	}
	values := func() map[string]float64 {
		got := map[string]float64{}
		if err := read(context.Background(), func(n string, v float64) { got[n] = v }); err != nil {
			t.Fatal(err)
		}
		return got
	}
	values()
	thread("8", "connection", "50 5 1") // less than before: another thread
	got := values()
	if got["server.session.run_ns"] != 1050 || got["server.session.wait_ns"] != 205 || got["server.background.run_ns"] != 100 {
		t.Errorf("%v", got)
	}
	delete(root, "proc/7/task/8/comm")
	delete(root, "proc/7/task/8/schedstat")
	if got := values(); got["server.session.run_ns"] != 1050 || got["server.session.threads"] != 0 {
		t.Errorf("after the end: %v", got)
	}
}

// TestSamples: edges hold everything, the rest what has changed, a probe that
// fails leaves its values out, and one that takes long is read less often.
func TestSamples(t *testing.T) {
	reads, slow := 0, 0
	busy := func(_ context.Context, put func(string, float64)) error {
		slow++
		for before := threadTime(); threadTime()-before < 3*time.Millisecond; {
		}
		put("slow", float64(slow))
		return nil
	}
	probes := []Probe{
		{Name: "a", Metrics: []record.Metric{counter("a", "1", "x")}, Start: func(Place) (Read, error) {
			return func(_ context.Context, put func(string, float64)) error {
				reads++
				put("a", float64(reads))
				put("still", 1)
				return errors.New("and then it failed")
			}, nil
		}},
		{Name: "b", Metrics: []record.Metric{counter("slow", "1", "x")}, Start: func(Place) (Read, error) { return busy, nil }},
		{Name: "c", Start: func(Place) (Read, error) { return nil, fs.ErrNotExist }},
	}
	w := Start(Place{}, probes)
	if lines := w.Lines(); len(lines) != 4 || lines[3].Fact.Key != "probe.c" || lines[3].Fact.Unknown == "" {
		t.Errorf("%+v", lines)
	}
	var all []record.Sample
	err := w.Run(context.Background(), Window{Began: time.Now(), Warmup: 1500 * time.Millisecond, Measure: 1500 * time.Millisecond},
		func(l record.Line) error { all = append(all, *l.Sample); return nil })
	if err != nil {
		t.Fatal(err)
	}
	warm := 0
	for _, s := range all {
		if s.Warmup {
			warm++
		}
	}
	// At 0, 1, 1.5, 2 and 3 seconds, if the machine let it.
	if len(all) < 3 || warm < 1 || all[len(all)-1].Warmup || of(all[0], "still") != 1 || of(all[1], "a") == 0 {
		t.Errorf("%d samples, %d of them of the warm-up: %+v", len(all), warm, all)
	}
	if _, again := all[1].Values.Of("still"); again {
		t.Error("a value that did not change is written again")
	}
	if slow >= reads && len(all) > 3 {
		t.Errorf("the slow probe was read %d times, the other %d", slow, reads)
	}
}

// TestLoadBeginsLater: what is read before pods have begun their load is not part of the
// window, which is as long as the load's all the same; nothing is, if they never do.
func TestLoadBeginsLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		begins      bool
		ago, warmup time.Duration
	}{{"known in time", true, 0, 20 * time.Millisecond}, {"known late", true, time.Hour, time.Second}, {"never", false, 0, 0}} {
		ctx, cancel := context.WithCancel(context.Background())
		begun := make(chan time.Time, 1)
		n, measured := 0, 0
		err := Start(Place{}, nil).Run(ctx, Window{Began: time.Now(), Warmup: c.warmup, Measure: time.Millisecond, Load: begun}, func(l record.Line) error {
			if n++; !l.Sample.Warmup {
				measured++
			}
			switch {
			case measured > 0 || n > 1 && !c.begins:
				cancel()
			case n == 1 && c.begins:
				begun <- time.Now().Add(-c.ago)
			}
			return nil
		})
		cancel()
		if err != nil || n < 2 || (measured > 0) != c.begins {
			t.Errorf("%s: %d samples, %d of them of the window, %v", c.name, n, measured, err)
		}
	}
}

// TestStopped: the watch ends with its context, after one last sample.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := Start(Place{}, nil).Run(ctx, Window{Began: time.Now(), Measure: time.Hour}, func(record.Line) error {
		if n++; n == 1 {
			cancel()
		}
		return nil
	})
	if err != nil || n != 2 {
		t.Errorf("%d samples, %v", n, err)
	}
}

// FuzzFiles: no file of a machine crashes a probe, or costs it much memory.
func FuzzFiles(f *testing.F) {
	f.Add("proc/stat", []byte("cpu 1 2"))
	f.Add("proc/4242/stat", []byte("1 (a) b) S"))
	f.Add("proc/4242/net/snmp", []byte("Ip: A\nIp: 1 2\nTcp: x"))
	f.Add("proc/self/mountinfo", []byte("1 2 3:4 / / - x y"))
	f.Add("proc/softirqs", []byte("\nNET_RX:"))
	base := map[string]fstest.MapFS{"v1": tree(f, "v1"), "v2": tree(f, "v2")}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if !fs.ValidPath(name) {
			return
		}
		for _, root := range base {
			if _, known := root[name]; !known {
				continue
			}
			other := maps.Clone(root)
			other[name] = &fstest.MapFile{Data: text}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			defer func() {
				runtime.ReadMemStats(&after)
				if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20+100*uint64(len(text)) {
					t.Errorf("%d bytes allocated for %d in %s", got, len(text), name)
				}
			}()
			for metric, v := range once(Place{Root: other, PID: 4242, DataDir: "/mnt/tare/data"}) {
				if strings.Contains(v, "NaN") || strings.Contains(v, "Inf") {
					t.Errorf("%s is %s", metric, v)
				}
			}
		}
	})
}

// of is a reading, zero where there is none.
func of(s record.Sample, name string) float64 {
	v, _ := s.Values.Of(name)
	return v
}

// TestGrouped: a server in a pod has a cgroup of its own, one in the root has none.
func TestGrouped(t *testing.T) {
	for _, name := range []string{"v1", "v2"} {
		root := tree(t, name)
		if p := (Place{Root: root, PID: 4242}); !p.Grouped() {
			t.Errorf("%s: the server is in a pod", name)
		}
		lines := ""
		for line := range strings.Lines(string(root["proc/4242/cgroup"].Data)) {
			f := strings.SplitN(line, ":", 3)
			lines += f[0] + ":" + f[1] + ":/\n"
		}
		root["proc/4242/cgroup"] = &fstest.MapFile{Data: []byte(lines)}
		if p := (Place{Root: root, PID: 4242}); p.Grouped() {
			t.Errorf("%s: the server is in the root cgroup", name)
		}
	}
	if (Place{Root: fstest.MapFS{}}).Grouped() {
		t.Error("a server without a process has no cgroup here")
	}
}
