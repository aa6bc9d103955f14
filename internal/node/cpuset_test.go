package node

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestCPUSet(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0-3": "0-3", "3,1,2": "1-3", "0,2,4": "0,2,4", "0-1,1-2": "0-2", "0-27,56-83\n": "0-27,56-83",
	} {
		if got, err := ParseCPUSet(text); err != nil || got.String() != want {
			t.Errorf("%q: %v (%v), want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a", "-1", "1-", "3-1", "0-", "99999", "0-9999999999", "1,,2", "0x1"} {
		if got, err := ParseCPUSet(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
	if d := cmp.Diff(CPUSet{0, 3}, CPUSet{0, 1, 2, 3}.Without(CPUSet{1, 2, 9})); d != "" {
		t.Error(d)
	}
}

// FuzzCPUSet: what is read is written in a form that reads as the same.
func FuzzCPUSet(f *testing.F) {
	for _, s := range []string{"0", "0-3,8", "1,2,3", "8191"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := ParseCPUSet(text)
		if err != nil {
			return
		}
		again, err := ParseCPUSet(set.String())
		if err != nil || !slices.Equal(set, again) || !slices.IsSorted(set) {
			t.Errorf("%q: %v, again %v (%v)", text, set, again, err)
		}
	})
}

// studyTopology is the machine of the first study: two sockets of 14 cores with
// two threads each, numbered as Linux does: 0-13 and 28-41 are socket 0.
func studyTopology() Topology {
	var all Topology
	for id := range 56 {
		all = append(all, Processor{ID: id, Core: id % 28, Socket: id % 28 / 14})
	}
	return all
}

// The CPUs a kubelet with the static policy picks (cpu_assignment_test.go has
// such cases): whole sockets, whole cores, then the rest of a core in use.
func TestTake(t *testing.T) {
	study := studyTopology()
	all := study.CPUs()
	for _, c := range []struct {
		name string
		free CPUSet
		n    int
		want string
	}{
		{"one CPU", all, 1, "0"},
		{"one core", all, 2, "0,28"},
		{"a core and a half", all, 3, "0-1,28"},
		{"a socket", all, 28, "0-13,28-41"},
		{"the other socket when one CPU is kept", all.Without(CPUSet{0}), 28, "14-27,42-55"},
		{"the broken core last", all.Without(CPUSet{0}), 2, "1,29"},
		{"the broken core for a single one", all.Without(CPUSet{0}), 1, "28"},
		{"all but the one that is kept", all.Without(CPUSet{0}), 55, "1-55"},
		{"none", all, 0, ""},
	} {
		if got, ok := study.Take(c.free, c.n); !ok || got.String() != c.want {
			t.Errorf("%s: %v %v, want %s", c.name, got, ok, c.want)
		}
	}
	if got, ok := study.Take(all.Without(CPUSet{0}), 56); ok {
		t.Errorf("56 of 55: %v", got)
	}
}

// TestTakesWhatAKubeletTakes: on machines of one to three sockets, with more and with fewer NUMA nodes
// than sockets, and with some CPUs in use.
func TestTakesWhatAKubeletTakes(t *testing.T) {
	text, err := os.ReadFile("testdata/cpu-assignment-v1.34.4.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		asked, want, _ := strings.Cut(strings.TrimSpace(line), " = ")
		var sockets, nodes, cores, threads, n int
		var list string
		if _, err := fmt.Sscan(asked, &sockets, &nodes, &cores, &threads, &list, &n); err != nil {
			t.Fatalf("%s: %v", asked, err)
		}
		free, err := ParseCPUSet(list)
		if err != nil {
			t.Fatal(err)
		}
		var machine Topology
		for id := range sockets * cores * threads {
			core := id % (sockets * cores)
			machine = append(machine, Processor{ID: id, Core: core % cores, Socket: core / cores, NUMA: core * nodes / (sockets * cores)})
		}
		if got, ok := machine.Take(free, n); !ok || got.String() != want {
			t.Errorf("%s: %v, and a kubelet takes %s", asked, got, want)
		}
		cases++
	}
	if cases < 100 {
		t.Errorf("%d cases", cases)
	}
}

func TestReadTopology(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s + "\n")} }
	const cpu = "sys/devices/system/cpu/"
	got, err := ReadTopology(fstest.MapFS{
		cpu + "online":                                   file("0-1,3"),
		cpu + "cpu0/topology/core_id":                    file("7"),
		cpu + "cpu0/topology/physical_package_id":        file("1"),
		cpu + "cpu1/topology/core_id":                    file("7"),
		cpu + "cpu1/topology/physical_package_id":        file("-1"),
		cpu + "cpu3/topology/physical_package_id_absent": file(""),
		"sys/devices/system/node/node0/cpulist":          file("1"),
		"sys/devices/system/node/node1/cpulist":          file(""),
		"sys/devices/system/node/node2/cpulist":          file("0,3"),
		"sys/devices/system/node/online":                 file("0-2"),
	})
	if d := cmp.Diff(Topology{{0, 7, 1, 2}, {1, 7, 0, 0}, {3, 3, 0, 2}}, got); d != "" || err != nil {
		t.Errorf("error %v: %s", err, d)
	}
	if _, err := ReadTopology(fstest.MapFS{}); err == nil {
		t.Error("a machine without CPUs was read")
	}
	here, err := ReadTopology(os.DirFS("/"))
	if capacity, err2 := Capacity(); err != nil || err2 != nil || int(capacity.CPU/1000) != len(here) {
		t.Errorf("here: %v (%v), capacity %v (%v)", here, err, capacity.CPU, err2)
	}
}
