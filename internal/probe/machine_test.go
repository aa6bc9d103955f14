package probe

import (
	"math"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestMachine: of two readings the shares of the CPU time and of the time are known.
func TestMachine(t *testing.T) {
	root := processes(true)
	root["proc/pressure/cpu"] = &fstest.MapFile{Data: []byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n")}
	root["proc/pressure/memory"] = &fstest.MapFile{Data: []byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")}
	root["proc/pressure/io"] = &fstest.MapFile{Data: []byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n")}
	root["sys/block/vda/dev"], root["sys/block/loop0/dev"] = &fstest.MapFile{}, &fstest.MapFile{}
	root["proc/diskstats"] = &fstest.MapFile{Data: []byte("254 0 vda 1 0 1 1 1 0 1 1 0 1000 1 0\n254 1 vda1 1 0 1 1 1 0 1 1 0 0 1 0\n7 0 loop0 1 0 1 1 1 0 1 1 0 0 1 0\n")}
	others := &Others{Root: root, Own: []int{100}, Mark: "MARK", Marks: func() []string { return []string{"mine"} }}
	before, err := ReadMachine(others)
	if err != nil {
		t.Fatal(err)
	}
	root["proc/stat"] = &fstest.MapFile{Data: []byte("cpu  10200 0 5000 4150 50 0 25 125 0 0\n")}
	root["proc/50/stat"] = &fstest.MapFile{Data: []byte("50 (a (b) c) S 1 1 1 0 -1 0 1 1 0 0 310 50 200 100 20 0 1 0 77 1 1 1\n")}
	root["proc/pressure/cpu"] = &fstest.MapFile{Data: []byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n")}
	root["proc/diskstats"] = &fstest.MapFile{Data: []byte("254 0 vda 1 0 1 1 1 0 1 1 0 1500 1 0\n254 1 vda1 1 0 1 1 1 0 1 1 0 9999 1 0\n7 0 loop0 1 0 1 1 1 0 1 1 0 9999 1 0\n")}
	after, err := ReadMachine(others)
	if err != nil {
		t.Fatal(err)
	}
	after.At = before.At.Add(2 * time.Second)
	want := Load{
		Over: 2 * time.Second, Others: 0.4, Steal: 0.125, Busiest: []Share{{"a (b) c", 0.4}},
		CPU: 0.75, Memory: 0, IO: 0, Disk: Share{"vda", 0.25},
	}
	if diff := cmp.Diff(want, after.Since(before), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"proc/pressure/cpu", "proc/pressure/memory", "proc/pressure/io", "proc/diskstats"} {
		delete(root, name)
	}
	bare, err := ReadMachine(others)
	if err != nil {
		t.Fatal(err)
	}
	if l := after.Since(bare); !math.IsNaN(l.CPU) || !math.IsNaN(l.IO) || l.Disk.Name != "" {
		t.Errorf("%+v: what the kernel does not tell is not 0", l)
	}
	if _, err := ReadMachine(&Others{Root: fstest.MapFS{}}); err == nil {
		t.Error("a machine without /proc was read")
	}
}
