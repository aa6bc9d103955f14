package probe

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"
)

// ending is a /proc in which something happens when a file has been opened for the first time.
type ending struct {
	files fstest.MapFS
	at    string
	then  func(fstest.MapFS)
}

func (e *ending) Open(name string) (fs.File, error) {
	f, err := e.files.Open(name)
	if then := e.then; name == e.at && then != nil {
		e.then = nil
		then(e.files)
	}
	return f, err
}

// TestOthersOfOneMoment: a process that ends while the processes are read counts once, in whatever order they are read and
// whether it or the one that waits for it has been read before. It may be gone before it was read at all.
func TestOthersOfOneMoment(t *testing.T) {
	stat := func(pid, parent int, times string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "%d (cc) S %d 1 1 0 -1 0 1 1 0 0 %s 20 0 1 0 77 1 1 1\n", pid, parent, times)}
	}
	for _, c := range []struct {
		name, at string
		waits    bool // its parent has ended before it, and the first process waits
	}{
		{"the waiter was read", "proc/50/stat", false}, {"it was read", "proc/70/stat", false}, {"all were listed", "proc", false},
		{"its parent has ended", "proc/50/stat", true}, {"its parent has ended, and it was read", "proc/70/stat", true},
	} {
		for range 20 { // the order is random
			for _, second := range []bool{false, true} {
				proc := &ending{files: processes(true), at: c.at}
				proc.files["proc/70/stat"] = stat(70, 50, "30000 0 0 0")
				proc.files["proc/70/environ"] = &fstest.MapFile{}
				o := &Others{Root: proc, Own: []int{100}, Mark: "MARK", Marks: func() []string { return []string{"mine"} }}
				if second {
					if _, err := o.Read(); err != nil {
						t.Fatal(err)
					}
				}
				proc.then = func(files fstest.MapFS) {
					delete(files, "proc/70/stat")
					delete(files, "proc/70/environ")
					files["proc/50/stat"] = stat(50, 1, "150 50 30200 100")
					if c.waits {
						for _, name := range []string{"stat", "comm", "environ"} {
							delete(files, "proc/50/"+name)
						}
						files["proc/1/stat"] = stat(1, 0, "0 0 30350 150")
					}
				}
				got, err := o.Read()
				if err != nil {
					t.Fatal(err)
				}
				if got.Seconds != 308 {
					t.Fatalf("%s, second reading %t: %v s, want 308 s", c.name, second, got.Seconds)
				}
			}
		}
	}
}
