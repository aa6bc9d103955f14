package process_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
	"github.com/tarebench/tare/internal/workload"
)

// faultsWithin only detects a test that hangs.
const faultsWithin = 5 * time.Minute

// disturbed is a database under load while its faults happen.
type disturbed struct {
	server target.Server
	job    loadgen.Job
	ledger workload.Ledger

	mu     sync.Mutex
	events []string
	served int // intervals with transactions after the last event
}

func (d *disturbed) note(name, detail string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events, d.served = append(d.events, name+": "+detail), 0
}

// saw says that an event has happened and that the load was served after it.
func (d *disturbed) saw(event string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.served > 0 && slices.ContainsFunc(d.events, func(e string) bool { return strings.HasPrefix(e, event) })
}

// startDisturbed starts the members and fills the ledger.
func startDisturbed(t *testing.T, flavour string, s replication.Settings, config map[string]string, faults ...event.Event) *disturbed {
	t.Helper()
	needRoot(t)
	files := mysqldtest.Flavour(t, flavour)
	for _, w := range s.Check(files) {
		t.Skip(w.Err)
	}
	r := targettest.WithCopies(t, targettest.Requests(t, files)(), s.Defaulted().Members)
	all := map[string]string{}
	for _, options := range []map[string]string{r.Config, config} {
		for name, value := range options {
			all[name] = value
		}
	}
	r.Config = all
	p, err := process.New(func(into any) error {
		settings := into.(*process.Settings)
		settings.Replication, settings.Faults = &s, faults
		return nil
	}, process.Env{Distribution: files})
	if err != nil {
		t.Fatal(err)
	}
	before, err := target.Scan(r.Name, r.Dir, r.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	server, err := p.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if found, err := target.Scan(r.Name, r.Dir, r.RunDir); err != nil || found.String() != before.String() {
			t.Errorf("left behind (error %v):\n%s", err, found)
		}
	})
	if err := mysqld.Ready(t.Context(), server.Address(), faultsWithin, server.Alive); err != nil {
		t.Fatal(err)
	}
	if err := server.Capabilities().Join(t.Context(), faultsWithin); err != nil {
		t.Fatal(err)
	}
	d := &disturbed{server: server}
	client := target.ClientOf(server)
	d.job = loadgen.Job{Workload: "ledger", Rows: 100, Threads: 4, Measure: time.Hour, Server: client.Address, Dir: t.TempDir(), Routes: client.Routes, Ledger: &d.ledger, Seed: 1}
	d.job.Server.Schema = "tare"
	db, err := mysqld.Open(server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE DATABASE tare"); err != nil {
		t.Fatal(err)
	}
	if err := loadgen.BuiltIn("").Prepare(t.Context(), d.job, io.Discard); err != nil {
		t.Fatal(err)
	}
	if d.job.Routes != nil {
		for _, member := range d.job.Routes.Addresses() {
			waitForTables(t, member)
		}
	}
	return d
}

// waitForTables waits until a member has applied the tables, which were made on the first one after
// the members had joined. A run's members have them in their copies of the data.
func waitForTables(t *testing.T, member mysqld.Address) {
	t.Helper()
	db, err := mysqld.Open(member)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const made = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'tare' AND table_name IN ('ledger_entry', 'ledger_account')"
	ctx, end := context.WithTimeout(t.Context(), faultsWithin)
	defer end()
	for n := 0; n < 2; time.Sleep(10 * time.Millisecond) {
		if err := db.QueryRowContext(ctx, made).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
}

// run loads the members until an event has happened and the load was served after it.
func (d *disturbed) run(t *testing.T, event string) (facts map[string]string) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), faultsWithin)
	defer end()
	window := make(chan time.Time, 1)
	done := make(chan error, 1)
	go func() { done <- d.server.Capabilities().Disturb(ctx, window, d.note) }()
	seen := false // what the end of the load causes comes later
	_, _, err := loadgen.BuiltIn("").Run(ctx, d.job, func(l record.Line) error {
		if l.Interval == nil {
			return nil
		}
		if l.Interval.Transactions > 0 { // with none, the other members have nothing of the load yet
			select {
			case window <- time.Now().Add(-time.Second):
			default:
			}
			d.mu.Lock()
			d.served++
			d.mu.Unlock()
		}
		if seen = seen || d.saw(event); seen {
			end()
		}
		return nil
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !seen {
		t.Fatalf("the load ended (error %v) before %q; what happened: %q", err, event, d.events)
	}
	facts = map[string]string{}
	for _, f := range d.server.Facts(context.Background(), "end") {
		facts[f.Key] = f.Value + f.Unknown
	}
	return facts
}

// failoverAttempts are more than a machine that stands still now and then needs.
const failoverAttempts = 3

// runInTime is run for a database that start starts. Faults end by the clock: where the machine
// stood still until a fault was nearly over, the failover that it was to cause came too late or
// not at all, and the same is done to another database.
func runInTime(t *testing.T, start func() *disturbed, event string, inTime func(d *disturbed, facts map[string]string) bool) (*disturbed, map[string]string) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		d := start()
		facts := d.run(t, event)
		if inTime(d, facts) || attempt == failoverAttempts {
			return d, facts
		}
		t.Logf("no failover in time in attempt %d: %v; what happened: %q", attempt, facts, d.events)
		if err := d.server.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// failedOver says that the first fault has changed the primary before it ended.
func failedOver(_ *disturbed, facts map[string]string) bool {
	return facts["event.1.primary_before"] == "1" && facts["event.1.primary_after"] != "1" && facts["event.1.promoted_after_s"] != ""
}

// changedOnce says that the fault, and nothing before or after it, has changed the primary: where a
// primary is silent for as long as its failover takes, another is promoted without a fault.
func changedOnce(d *disturbed, _ map[string]string) bool {
	var names []string
	for _, e := range d.events {
		name, _, _ := strings.Cut(e, ":")
		names = append(names, name)
	}
	first := slices.Index(names, "primary-changed")
	return first > slices.Index(names, "event-began") && slices.Contains(names, "event-began") && !slices.Contains(names[first+1:], "primary-changed")
}

// ledgers are what the members hold after the load, by number; of one that is no member any
// more, why.
func (d *disturbed) ledgers(t *testing.T) (of map[int]loadgen.Ledgered, left map[int]string) {
	t.Helper()
	return d.ledgersWithin(t, faultsWithin)
}

// ledgersWithin waits for so long until members have caught up.
func (d *disturbed) ledgersWithin(t *testing.T, within time.Duration) (of map[int]loadgen.Ledgered, left map[int]string) {
	t.Helper()
	all, err := d.server.Capabilities().Members(t.Context(), within)
	if err != nil {
		t.Fatal(err)
	}
	of, left = map[int]loadgen.Ledgered{}, map[int]string{}
	for _, m := range all {
		if m.Left != "" {
			left[m.Number] = m.Left
			continue
		}
		m.Address.Schema = "tare"
		if of[m.Number], err = loadgen.CheckLedger(t.Context(), m.Address, &d.ledger); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d entries were acknowledged; members have %+v; %v; %q", d.ledger.Acknowledged(), of, left, d.events)
	return of, left
}

func seconds(n int) experiment.Duration { return experiment.Duration(time.Duration(n) * time.Second) }

// TestKilledPrimary: another member becomes the primary, the load follows, and no
// acknowledged write is lost on any member that is left.
func TestKilledPrimary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flavour  string
		settings replication.Settings
		config   map[string]string
	}{
		{mysqld.MySQL, replication.Settings{Mode: replication.Group}, map[string]string{"loose_group_replication_member_expel_timeout": "0"}},
		{mysqld.MariaDB, replication.Settings{Mode: replication.Galera, Failover: seconds(4)}, nil},
		{mysqld.MariaDB, replication.Settings{Mode: replication.SemiSync, Failover: seconds(4)}, nil},
	} {
		t.Run(c.settings.Mode, func(t *testing.T) {
			t.Parallel()
			d, facts := runInTime(t, func() *disturbed {
				return startDisturbed(t, c.flavour, c.settings, c.config, event.Event{At: seconds(1), Kill: "primary"})
			}, "primary-changed", changedOnce)
			for key, want := range map[string]string{"kind": "kill", "member": "1", "primary_before": "1"} {
				if got := facts["event.1."+key]; got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if after := facts["event.1.primary_after"]; after != "2" && after != "3" || facts["event.1.promoted_after_s"] == "" {
				t.Errorf("the primary is member %s after %q s", after, facts["event.1.promoted_after_s"])
			}
			of, left := d.ledgers(t)
			if len(of) != 2 || left[1] != "it was killed" || d.ledger.Acknowledged() == 0 {
				t.Errorf("members %v are left, without %v", of, left)
			}
			for number, v := range of {
				if !v.Whole() {
					t.Errorf("member %d: %+v", number, v)
				}
			}
		})
	}
}

// TestPausedAndCutOff: a primary that wakes up after it was expelled, and one that is cut off,
// acknowledge nothing that the database does not have. A member that does not come back is left
// out with the reason. A Galera member that was expelled stays in the cluster as one that joins,
// so that a second fault meets two members with data, which promise less (docs/replication.md).
func TestPausedAndCutOff(t *testing.T) {
	t.Parallel()
	cut := func(at int) event.Event { return event.Event{At: seconds(at), CutOff: "primary", For: seconds(10)} }
	for _, c := range []struct {
		flavour  string
		settings replication.Settings
		config   map[string]string
		faults   []event.Event
	}{
		{mysqld.MySQL, replication.Settings{Mode: replication.Group}, map[string]string{"loose_group_replication_member_expel_timeout": "0"},
			[]event.Event{{At: seconds(1), Pause: "primary", For: seconds(10)}, cut(15)}},
		{mysqld.MariaDB, replication.Settings{Mode: replication.Galera, Failover: seconds(4)}, nil, []event.Event{cut(1)}},
	} {
		t.Run(c.settings.Mode, func(t *testing.T) {
			t.Parallel()
			d, facts := runInTime(t, func() *disturbed { return startDisturbed(t, c.flavour, c.settings, c.config, c.faults...) }, "event-ended: cutOff", failedOver)
			if after := facts["event.1.primary_after"]; after == "1" || facts["event.1.promoted_after_s"] == "" {
				t.Errorf("the primary is member %s after the first fault: %v", after, facts)
			}
			if n := resigned(d.events); n > 2 { // a member that rejoins may be elected once more
				t.Errorf("member 1 has ceased to be the primary %d times: %q", n, d.events)
			}
			of, left := d.ledgersWithin(t, 10*time.Second) // what comes back later is not waited for
			for deadline := time.Now().Add(faultsWithin); len(of) == 0 && time.Now().Before(deadline); {
				of, left = d.ledgersWithin(t, 10*time.Second)
			}
			if len(of) == 0 || len(of)+len(left) != 3 || d.ledger.Acknowledged() == 0 {
				t.Errorf("members %v are left, without %v", of, left)
			}
			for number, v := range of {
				if !v.Whole() {
					t.Errorf("member %d: %+v", number, v)
				}
			}
		})
	}
}

// resigned is how often member 1 has ceased to be the primary.
func resigned(events []string) (n int) {
	for _, e := range events {
		if strings.HasPrefix(e, "primary-changed: from member 1 ") {
			n++
		}
	}
	return n
}

// TestAllMembersAreLoaded: with writers: all every member of a cluster gets its part of the
// connections, and all hold what was acknowledged by any.
func TestAllMembersAreLoaded(t *testing.T) {
	t.Parallel()
	length := 3 * time.Second
	// A member that answers nothing for two seconds gets no load, in the whole of a short one.
	mysqldtest.Attempts(t, 3, func() error {
		d := startDisturbed(t, mysqld.MariaDB, replication.Settings{Mode: replication.Galera, Members: 2, Writers: replication.AllWriters}, nil)
		d.job.Measure = length
		length *= 3
		facts := d.loaded(t)
		of, left := d.ledgers(t)
		if len(of) != 2 || !of[1].Whole() || !of[2].Whole() {
			t.Errorf("members have %+v; left: %v", of, left)
		}
		for _, key := range []string{"load.member.1.tps", "load.member.2.tps"} {
			if facts[key] == "" || facts[key] == "0.0" {
				return errors.Join(fmt.Errorf("%s is %q", key, facts[key]), d.server.Stop(context.Background()))
			}
		}
		return nil
	})
}

// loaded are the facts of a load without faults that lasts as long as its job says.
func (d *disturbed) loaded(t *testing.T) map[string]string {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.server.Capabilities().Disturb(ctx, make(chan time.Time), d.note) }()
	facts := map[string]string{}
	outcome, reason, err := loadgen.BuiltIn("").Run(t.Context(), d.job, func(l record.Line) error {
		if l.Fact != nil {
			facts[l.Fact.Key] = l.Fact.Value
		}
		return nil
	})
	end()
	if broken := <-done; err != nil || broken != nil || outcome != record.Measured {
		t.Fatalf("%s %s: %v, %v", outcome, reason, err, broken)
	}
	return facts
}
