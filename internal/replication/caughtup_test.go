package replication

import (
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
)

const uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562:"

func databaseOf(t *testing.T, s Settings, flavour string) *Database {
	t.Helper()
	d, err := New(s, mysqld.Distribution{Flavour: flavour}, []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCaughtUp: a member that has something left to certify or to apply has not caught up, whatever the
// other one has, which can be itself.
func TestCaughtUp(t *testing.T) {
	group := func(uncertified, unapplied, missing string) *member {
		return &member{answers: []answer{
			{"COUNT_TRANSACTIONS_IN_QUEUE", [][]string{{"uncertified", "unapplied"}, {uncertified, unapplied}}},
			one("SELECT @@GLOBAL.gtid_executed", "gtid_executed", uuid+"1-9"),
			one("GTID_SUBTRACT(?", "missing", missing),
		}}
	}
	galera := func(queue, last string) *member {
		return &member{answers: []answer{status("wsrep_local_recv_queue", "wsrep_local_recv_queue", queue), status("wsrep_last_committed", "wsrep_last_committed", last)}}
	}
	other := map[string]*member{Group: group("0", "", ""), Galera: galera("0", "9")}
	for name, c := range map[string]struct {
		mode, flavour string
		number        int // of the other member
		it            *member
		want          bool
	}{
		"group, applied":              {Group, mysqld.MySQL, 1, group("0", "", ""), true},
		"group, behind":               {Group, mysqld.MySQL, 1, group("0", "", uuid+"8-9"), false},
		"group, received":             {Group, mysqld.MySQL, 1, group("0", uuid+"10", ""), false},
		"group, uncertified":          {Group, mysqld.MySQL, 1, group("3", "", ""), false},
		"group, itself, applied":      {Group, mysqld.MySQL, 2, group("0", "", uuid+"8-9"), true},
		"group, itself, received":     {Group, mysqld.MySQL, 2, group("0", uuid+"10-12", ""), false},
		"group, itself, uncertified":  {Group, mysqld.MySQL, 2, group("3", "", ""), false},
		"galera, applied":             {Galera, mysqld.MariaDB, 1, galera("0", "9"), true},
		"galera, behind":              {Galera, mysqld.MariaDB, 1, galera("0", "8"), false},
		"galera, itself, received":    {Galera, mysqld.MariaDB, 2, galera("2", "8"), false},
		"galera, itself, all applied": {Galera, mysqld.MariaDB, 2, galera("0", "8"), true},
	} {
		d := databaseOf(t, Settings{Mode: c.mode}, c.flavour)
		got, err := d.CaughtUp(t.Context(), connect(t, other[c.mode], c.it), c.number, 2)
		if got != c.want || err != nil {
			t.Errorf("%s: %v, error %v; want %v", name, got, err, c.want)
		}
	}
}

// TestSemiSyncAfterFailover: the counters are those of the member that is the source now.
func TestSemiSyncAfterFailover(t *testing.T) {
	d := databaseOf(t, Settings{Mode: SemiSync}, mysqld.MySQL)
	d.source.Store(2)
	promoted := &member{answers: []answer{status("rpl_semi_sync_source_%", "Rpl_semi_sync_source_status", "OFF", "Rpl_semi_sync_source_no_tx", "17")}}
	values, err := semiSyncFacts(t.Context(), d, connect(t, &member{}, promoted, &member{}), 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(values, func(v value) bool { return v.key == "semisync_not_waited" && v.text == "17" }) {
		t.Errorf("the facts of the promoted member are %v", values)
	}
}

// TestPromoteOfASourceThatIsBack: a source that answers again while a replica applies its relay log
// stays the source, and the replicas receive from it again.
func TestPromoteOfASourceThatIsBack(t *testing.T) {
	for _, back := range []bool{false, true} {
		d := databaseOf(t, Settings{Mode: SemiSync}, mysqld.MySQL)
		replica := func() *member {
			return &member{answers: []answer{
				{"SHOW REPLICA STATUS", [][]string{{"Retrieved_Gtid_Set", "Source_Host"}, {uuid + "1-9", "192.0.2.1"}}},
				one("gtid_executed", "gtid_executed", uuid+"1-9"), one("GTID_SUBTRACT", "waiting", ""), one("WAIT_FOR_EXECUTED_GTID_SET", "late", "0"),
			}}
		}
		best, other := replica(), replica()
		primary, err := d.Promote(t.Context(), connect(t, &member{}, best, other), []int{2, 3}, func() bool { return back })
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(append(best.done, other.done...), "; ")
		writes, again := strings.Contains(all, "read_only = OFF"), strings.Count(all, "START REPLICA IO_THREAD")
		if back && (primary != 0 || writes || again != 2 || d.source.Load() != 1) || !back && (primary != 2 || !writes || again != 0) {
			t.Errorf("the source is back: %v; member %d was promoted by %q", back, primary, all)
		}
	}
}
