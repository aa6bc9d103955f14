package probe

import (
	"fmt"
	"math"
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// processes is a /proc in which tare is 100.
func processes(kthreadd bool) fstest.MapFS {
	root := fstest.MapFS{"proc/stat": {Data: []byte("cpu  10000 0 5000 4000 50 0 25 75 0 0\n")}}
	add := func(pid, parent int, name, times, environ string) {
		dir := fmt.Sprintf("proc/%d/", pid)
		root[dir+"stat"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d (%s) S %d 1 1 0 -1 0 1 1 0 0 %s 20 0 1 0 77 1 1 1\n", pid, name, parent, times)}
		root[dir+"comm"] = &fstest.MapFile{Data: []byte(name + "\n")}
		root[dir+"environ"] = &fstest.MapFile{Data: []byte(environ)}
	}
	add(1, 0, "init", "0 0 0 0", "")
	if kthreadd {
		add(2, 0, "kthreadd", "0 0 0 0", "")
		add(3, 2, "kworker/0:1", "900 900 0 0", "")
	}
	add(50, 1, "a (b) c", "150 50 200 100", "MARK=other\x00")
	add(60, 1, "mysqld", "300 0 0 0", "")
	add(100, 1, "tare", "1000 0 0 0", "")
	add(101, 100, "load", "1000 0 500 0", "")
	add(102, 1, "server", "1000 0 0 0", "HOME=/\x00MARK=mine\x00")
	return root
}

// TestOthers: what is tare's, by descent or by its mark, and threads of the kernel are not others.
func TestOthers(t *testing.T) {
	of := func(kthreadd bool) *Others {
		return &Others{Root: processes(kthreadd), Own: []int{100}, Mark: "MARK", Marks: func() []string { return []string{"mine"} }}
	}
	for _, c := range []struct {
		name string
		of   *Others
		want Used
	}{
		{"all are seen", of(true), Used{Seconds: 8, Names: map[string]float64{"a (b) c": 5, "mysqld": 3}}},
		// Of 150 s in user and kernel mode, 35 are tare's.
		{"in a container", of(false), Used{Seconds: 115, Rest: true, Names: map[string]float64{"a (b) c": 5, "mysqld": 3}}},
	} {
		for range 2 { // what is remembered changes nothing
			got, err := c.of.Read()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(Used{})); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
	}
	without := of(true)
	without.NoServers = true
	if got, err := without.Read(); err != nil || got.Seconds != 5 {
		t.Errorf("%+v, %v: a server that may be the measured one counts", got, err)
	}
	if _, err := (&Others{Root: fstest.MapFS{}}).Read(); err == nil {
		t.Error("a machine without /proc was read")
	}
}

// TestOthersOfAReusedNumber: the mark of a process is read again where its number is another's.
func TestOthersOfAReusedNumber(t *testing.T) {
	root := processes(true)
	o := &Others{Root: root, Own: []int{100}, Mark: "MARK", Marks: func() []string { return []string{"mine"} }}
	if _, err := o.Read(); err != nil {
		t.Fatal(err)
	}
	root["proc/102/stat"] = &fstest.MapFile{Data: []byte("102 (new) S 1 1 1 0 -1 0 1 1 0 0 400 0 0 0 20 0 1 0 78 1 1 1\n")}
	root["proc/102/environ"] = &fstest.MapFile{Data: []byte("MARK=none\x00")}
	if got, err := o.Read(); err != nil || got.Seconds != 12 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestGrown: a process that ends leaves its time with its parent, which has not used what the process had used before.
func TestGrown(t *testing.T) {
	of := func(all map[int]process) Used { return Used{processes: all} }
	before := of(map[int]process{10: {name: "make", began: "1", own: 1}, 11: {parent: 10, name: "cc1", began: "2", own: 50}, 12: {parent: 10, name: "ld", began: "3", own: 4}})
	after := of(map[int]process{10: {name: "make", began: "1", own: 1.5, waited: 57}, 12: {parent: 10, name: "ld", began: "9", own: 2}, 13: {name: "new", began: "8", own: 7}})
	// Of the 57 s, cc1 and the first ld had used 54 before.
	if diff := cmp.Diff(map[string]float64{"make": 3.5, "ld": 2, "new": 7}, after.Grown(before)); diff != "" {
		t.Error(diff)
	}
}

// TestOthersHere: this machine's processes are read.
func TestOthersHere(t *testing.T) {
	used, err := (&Others{Root: os.DirFS("/"), Own: []int{os.Getpid()}}).Read()
	if err != nil || math.IsNaN(used.Seconds) {
		t.Errorf("%+v, %v", used, err)
	}
}
