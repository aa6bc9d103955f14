package probe

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"
)

// TestThreadsWithoutNames: where all threads have the program's name, the server says which serve clients, by their
// numbers in its own PID namespace. A thread of its cache that gets a client counts from then on, and no counter falls.
func TestThreadsWithoutNames(t *testing.T) {
	root := fstest.MapFS{}
	set := func(id, inside, run, wait string) {
		root["proc/7/task/"+id+"/comm"] = &fstest.MapFile{Data: []byte("mariadbd\n")}
		root["proc/7/task/"+id+"/schedstat"] = &fstest.MapFile{Data: []byte(run + " " + wait + " 1\n")}
		root["proc/7/task/"+id+"/status"] = &fstest.MapFile{Data: []byte("Name:\tmariadbd\nNSpid:\t" + id + "\t" + inside + "\n")}
	}
	set("7", "1", "100", "10")
	set("8", "2", "1000", "200")
	set("9", "3", "50", "5")
	serving := map[string]bool{"2": true}
	var refused error
	of := threads{place: Place{Root: root, PID: 7}, tasks: map[string]*task{}, ask: func(context.Context) (map[string]bool, error) { return serving, refused }}
	values := func() map[string]float64 {
		got := map[string]float64{}
		if err := of.read(context.Background(), func(name string, v float64) { got[name] = v }); err != nil {
			t.Fatal(err)
		}
		return got
	}
	check := func(got map[string]float64, session, background, threads float64) {
		t.Helper()
		if got["server.session.run_ns"] != session || got["server.background.run_ns"] != background || got["server.session.threads"] != threads {
			t.Errorf("%v, want %v %v %v", got, session, background, threads)
		}
	}
	check(values(), 1000, 150, 1)
	serving["3"] = true // it was in the cache
	of.due = time.Time{}
	set("9", "3", "60", "6")
	check(values(), 1000, 160, 2)
	set("9", "3", "90", "6")
	check(values(), 1030, 160, 2)
	refused = errors.New("PROCESS")
	of.due = time.Time{}
	if err := of.read(context.Background(), func(string, float64) {}); !errors.Is(err, refused) {
		t.Errorf("%v, want the server's refusal: the time of unknown threads is not the server's own", err)
	}
}
