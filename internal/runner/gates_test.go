package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// TestOutside reads a /proc and a /sys in which tare (100) has a client (101), its
// server was reparented and is known by its mark (102), a kernel thread (3) works,
// and a stranger (50) used 2 s and its ended children 3 s.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	process := func(pid, parent, times, environ string) {
		write("proc/"+pid+"/stat", pid+" (some name) S "+parent+" 1 1 0 -1 4194560 1 1 0 0 "+times+" 20 0 1 0 7 1 1 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n")
		write("proc/"+pid+"/environ", environ)
	}
	write("proc/stat", "cpu  1000 200 300 4000 50 0 25 75 10 0\ncpu0 1000 200 300 4000 50 0 25 75 10 0\nbtime 1\nctxt 1\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n")
	process("1", "0", "0 0 0 0", "")
	process("2", "0", "0 0 0 0", "")
	write("proc/2/comm", "kthreadd\n")
	process("3", "2", "9000 9000 0 0", "")
	process("50", "1", "150 50 200 100", "TARE_INSTANCE=t99\x00")
	process("100", "1", "7000 0 0 0", "")
	process("101", "100", "7000 0 0 0", "")
	process("102", "1", "7000 0 0 0", "HOME=/\x00TARE_INSTANCE=t01\x00")
	write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "2\n")
	write("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "3\n")
	o := outside{proc: filepath.Join(dir, "proc"), sys: filepath.Join(dir, "sys"), own: 100, instances: []string{"t01"}}
	got := map[string]string{}
	facts, at := o.facts(o.others())
	for _, f := range facts {
		got[f.Key] = f.Value + f.Unknown
	}
	want := map[string]string{"gate.machine_s": "56.50", "gate.steal_s": "0.75", "gate.foreign_s": "5.00", "gate.thermal_events": "5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]float64{"some name": 5}, at.used.Names); diff != "" {
		t.Error(diff)
	}
	none := outside{proc: filepath.Join(dir, "none", "proc"), sys: dir}
	facts, _ = none.facts(none.others())
	for _, f := range facts {
		if f.Value != "" || f.Unknown == "" {
			t.Errorf("unreadable, yet %+v", f)
		}
	}
}

// TestOutsideHere: this machine's own counters are read, and this process is not
// counted with the strangers.
func TestOutsideHere(t *testing.T) {
	here := outside{proc: "/proc", sys: "/sys", own: 1}
	facts, _ := here.facts(here.others())
	for _, f := range facts {
		switch {
		case f.Key == "gate.thermal_events":
		case f.Unknown != "":
			t.Errorf("%s: %s", f.Key, f.Unknown)
		case f.Key == "gate.foreign_s" && !strings.HasPrefix(f.Value, "0.00"):
			t.Errorf("all processes descend from 1 or from kthreadd, yet %s s are foreign", f.Value)
		}
	}
}

// TestBusiest: what used most of the CPU is named, whatever the name is, and what used next to nothing is not.
func TestBusiest(t *testing.T) {
	grown := map[string]float64{"old": 0.05, "a\x1b]0;\"": 2, "cc1": 7, "b": 1, "c": 1, "d": 0.5, "e": 0.4}
	trial := &record.Trial{Facts: []record.Fact{busiest(grown)}}
	want := []record.Busy{{Name: "cc1", CPU: 7}, {Name: "a\x1b]0;\"", CPU: 2}, {Name: "b", CPU: 1}, {Name: "c", CPU: 1}, {Name: "d", CPU: 0.5}}
	if diff := cmp.Diff(want, trial.Busiest()); diff != "" {
		t.Error(diff)
	}
}
