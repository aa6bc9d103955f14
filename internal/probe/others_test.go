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

// TestOthersUnreaped: the time of a process that ends does not go away, whether its parent has waited for it or not.
func TestOthersUnreaped(t *testing.T) {
	for _, reaped := range []bool{false, true} {
		root := processes(true)
		o := &Others{Root: root, Own: []int{100}, Mark: "MARK", Marks: func() []string { return []string{"mine"} }}
		before, err := o.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"stat", "comm", "environ"} {
			delete(root, "proc/50/"+file) // 5 s
		}
		init := "0 0 0 0"
		if reaped {
			init = "0 0 400 100"
		}
		root["proc/1/stat"] = &fstest.MapFile{Data: fmt.Appendf(nil, "1 (init) S 0 1 1 0 -1 0 1 1 0 0 %s 20 0 1 0 77 1 1 1\n", init)}
		root["proc/60/stat"] = &fstest.MapFile{Data: []byte("60 (mysqld) S 1 1 1 0 -1 0 1 1 0 0 700 0 0 0 20 0 1 0 77 1 1 1\n")}
		for range 2 { // once lost, it is not lost again
			after, err := o.Read()
			if err != nil {
				t.Fatal(err)
			}
			if grown := after.Seconds - before.Seconds; grown != 4 {
				t.Errorf("reaped %v: others used %g s, want 4", reaped, grown)
			}
		}
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

// TestOthersInherited: the time of a measured process that ended is not that of the runtime that waited for it, nor of
// whoever waited for the runtime. An ended process that is not measured counts.
func TestOthersInherited(t *testing.T) {
	root := processes(true)
	o := &Others{Root: root, Own: []int{100}, Mark: "MARK", Marks: func() []string { return []string{"mine"} }}
	set := func(pid, parent int, name, times, environ string) {
		dir := fmt.Sprintf("proc/%d/", pid)
		root[dir+"stat"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d (%s) S %d 1 1 0 -1 0 1 1 0 0 %s 20 0 1 0 77 1 1 1\n", pid, name, parent, times)}
		root[dir+"environ"] = &fstest.MapFile{Data: []byte(environ)}
	}
	end := func(pid int) {
		delete(root, fmt.Sprintf("proc/%d/stat", pid))
		delete(root, fmt.Sprintf("proc/%d/environ", pid))
	}
	read := func(step string, want float64) Used {
		t.Helper()
		got, err := o.Read()
		if err != nil || math.Abs(got.Seconds-want) > 1e-9 {
			t.Fatalf("%s: %v s, %v; want %v", step, got.Seconds, err, want)
		}
		return got
	}
	set(70, 1, "shim", "100 0 0 0", "")
	set(71, 70, "load", "2000 0 0 0", "MARK=mine\x00")
	set(72, 70, "stranger", "400 0 0 0", "")
	before := read("all run", 8+1+4)
	end(71)
	set(70, 1, "shim", "100 0 2050 0", "") // half a second after the reading
	after := read("the load ended", 8+1+4+.5)
	if got := after.Grown(before)["shim"]; math.Abs(got-.5) > 1e-9 {
		t.Errorf("the shim used %v s, want 0.5", got)
	}
	end(72)
	set(70, 1, "shim", "100 0 2450 0", "")
	read("the stranger ended", 8+1+4+.5)
	end(70)
	set(1, 0, "init", "0 0 2550 0", "")
	read("the shim ended", 8+1+4+.5)
	end(102) // nobody waited for the server
	read("the server ended", 8+1+4+.5)
}

// TestGrown: a process that ends leaves its time with whoever waited for it, which has not used what the process had
// used before.
func TestGrown(t *testing.T) {
	of := func(seconds float64, all map[int]process) Used { return Used{Seconds: seconds, processes: all} }
	for name, c := range map[string]struct {
		before, after Used
		want          map[string]float64
	}{
		// Of the 57 s, cc1 and the first ld had used 54 before.
		"children": {
			of(55, map[int]process{10: {name: "make", began: "1", own: 1}, 11: {parent: 10, name: "cc1", began: "2", own: 50}, 12: {parent: 10, name: "ld", began: "3", own: 4}}),
			of(67.5, map[int]process{10: {name: "make", began: "1", own: 1.5, waited: 57}, 12: {parent: 10, name: "ld", began: "9", own: 2}, 13: {name: "new", began: "8", own: 7}}),
			map[string]float64{"make": 3.5, "ld": 2, "new": 7},
		},
		// Of the 100 s that bash waited for, 90 are from before.
		"a child and a grandchild": {
			of(95, map[int]process{10: {name: "bash", began: "1", own: 5}, 11: {parent: 10, name: "go", began: "2", own: 20, waited: 30}, 12: {parent: 11, name: "compile", began: "3", own: 40}}),
			of(105, map[int]process{10: {name: "bash", began: "1", own: 5, waited: 100}}),
			map[string]float64{"bash": 10},
		},
		// init waited for an orphan whose parent had ended before it; 40 s are from before.
		"an orphan": {
			of(46, map[int]process{1: {name: "init", began: "0", own: 1}, 10: {name: "bash", began: "1", own: 5}, 11: {parent: 10, name: "go", began: "2"}, 12: {parent: 11, name: "compile", began: "3", own: 40}}),
			of(50, map[int]process{1: {name: "init", began: "0", own: 1, waited: 43}, 10: {name: "bash", began: "1", own: 6}}),
			map[string]float64{"init": 4},
		},
	} {
		got := c.after.Grown(c.before)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		sum := 0.0
		for _, seconds := range got {
			sum += seconds
		}
		if all := c.after.Seconds - c.before.Seconds; sum > all+1e-9 {
			t.Errorf("%s: the parts are %v of %v s", name, sum, all)
		}
	}
}

// TestOthersHere: this machine's processes are read.
func TestOthersHere(t *testing.T) {
	used, err := (&Others{Root: os.DirFS("/"), Own: []int{os.Getpid()}}).Read()
	if err != nil || math.IsNaN(used.Seconds) {
		t.Errorf("%+v, %v", used, err)
	}
}
