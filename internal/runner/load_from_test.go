package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// elsewhere is a load of all arms that keeps what it is asked.
type elsewhere struct {
	stopped  []string
	released int
	trial    string
	job      []byte
}

func (e *elsewhere) load() *target.Load {
	return &target.Load{
		Place: "pods of cluster c", Generators: 2,
		Generate: func(_ context.Context, instance string, job []byte, _ func(int, []byte) error) error {
			e.trial, e.job = instance, job
			return errors.New("no generator")
		},
		Facts:   func(context.Context, string) []record.Fact { return []record.Fact{{Key: "load.pods", Value: "2"}} },
		Stop:    func(_ context.Context, instance string) error { e.stopped = append(e.stopped, instance); return nil },
		Release: func(context.Context) error { e.released++; return nil },
	}
}

// TestLoadOfAllArms: the load that an experiment has for all arms is removed after every
// trial and released after the last; every trial says where it is.
func TestLoadOfAllArms(t *testing.T) {
	e := &elsewhere{}
	j := job(t, &fake{})
	j.From = e.load()
	if err := Run(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	slices.Sort(e.stopped)
	if n := len(slices.Compact(e.stopped)); n != 4 || e.released != 1 {
		t.Errorf("stopped for %d trials, released %d times", n, e.released)
	}
	run, err := record.Open(j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		// Their servers never answered, so that only what is read at the end is there.
		if !slices.ContainsFunc(trial.Facts, func(f record.Fact) bool { return f.Key == "load.pods" && f.Phase == "end" }) {
			t.Errorf("trial %d: %+v", trial.Header.Trial, trial.Facts)
		}
	}
}

// TestTablesFromAllArmsLoad: the generators that load all arms make the tables, at the address
// that they load, and are removed before they load.
func TestTablesFromAllArmsLoad(t *testing.T) {
	e := &elsewhere{}
	j := job(t, &fake{})
	j.From = e.load()
	server := &mute{place: &fake{}, address: mysqld.Address{Host: "db.example.com", Port: 3306}}
	in := &instance{Name: "t1"}
	err := j.makeTablesBy(t.Context(), server, in, j.makersOf(server, in), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "prepare by 2 generators: no generator") || e.trial != "t1" {
		t.Fatalf("tables of trial %q: %v", e.trial, err)
	}
	var sent struct {
		Prepare bool
		Of      int
		Server  mysqld.Address
	}
	if err := json.Unmarshal(e.job, &sent); err != nil || !sent.Prepare || sent.Of != 2 || sent.Server.Host != "db.example.com" || sent.Server.Schema == "" {
		t.Errorf("%+v, %v", sent, err)
	}
	if !slices.Equal(e.stopped, []string{"t1"}) {
		t.Errorf("generators removed of %v", e.stopped)
	}
}

// TestSendToAllArmsLoad: a trial's load goes to the generators of all arms, with the
// server's address, and where they are is a fact of the trial.
func TestSendToAllArmsLoad(t *testing.T) {
	e := &elsewhere{}
	place := &fake{}
	tr := &trial{Job: Job{From: e.load(), Targets: map[string]target.Target{"a": place}, Observe: func(Progress) {}}, instance: &instance{Name: "t1"},
		server: &mute{place: place, address: mysqld.Address{Host: "db.example.com", Port: 3306}}}
	tr.plan.Number, tr.plan.Arm = 1, "a"
	if !tr.distributed() {
		t.Error("the load is not recorded as one from elsewhere")
	}
	stream, err := record.CreateStream(record.TrialDir(t.TempDir(), tr.plan), record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Abort() }() // what it holds is not read
	tr.stream = stream
	_, _, err = tr.send(t.Context(), loadgen.Job{Workload: "oltp_point_select", Threads: 25, Measure: time.Second, Server: tr.server.Address()}, tr.pass)
	if err == nil || e.trial != "t1" {
		t.Fatalf("generators of trial %q: %v", e.trial, err)
	}
	var sent struct {
		Of, Threads int
		Server      mysqld.Address
	}
	if err := json.Unmarshal(e.job, &sent); err != nil || sent.Of != 2 || sent.Threads != 25 || sent.Server.Host != "db.example.com" {
		t.Errorf("%+v, %v", sent, err)
	}
	want := record.Fact{Key: keys.LoadFrom, Value: "pods of cluster c", Source: "experiment.yaml"}
	if got := tr.loadFacts(t.Context(), "start"); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	tr.From = nil
	if got := tr.loadPlace(); got != target.ThisHost || tr.distributed() {
		t.Errorf("without one the load comes from %q", got)
	}
}
