package members

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
)

// databaseOf is a group of so many members.
func databaseOf(t *testing.T, members int, writers string) *replication.Database {
	t.Helper()
	var hosts []string
	for i := range members {
		hosts = append(hosts, host(i+1))
	}
	s := replication.Settings{Mode: replication.Group, Members: members, Writers: writers}
	d, err := replication.New(s, mysqld.Distribution{Flavour: mysqld.MySQL}, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func host(number int) string { return fmt.Sprintf("192.0.2.%d", number) }

func watchOf(t *testing.T, members int) *watch {
	t.Helper()
	return newWatch(databaseOf(t, members, replication.OneWriter), &mysqld.Routes{})
}

// grouped is a member of a group of three that can elect. has are the transactions that it has
// executed.
type grouped struct {
	has    []string
	killed bool
}

func (g *grouped) query(query string, args []driver.NamedValue) (columns []string, rows [][]string, err error) {
	switch {
	case g.killed:
		return nil, nil, errors.New("connection refused")
	case strings.Contains(query, "COUNT_TRANSACTIONS_IN_QUEUE"):
		return []string{"uncertified", "unapplied"}, [][]string{{"0", ""}}, nil
	case strings.Contains(query, "replication_group_members"):
		for number := 1; number <= 3; number++ {
			rows = append(rows, []string{host(number), "ONLINE", "PRIMARY"})
		}
		return []string{"MEMBER_HOST", "MEMBER_STATE", "MEMBER_ROLE"}, rows, nil
	case strings.Contains(query, "GTID_SUBTRACT(?"):
		missing := slices.DeleteFunc(strings.Split(args[0].Value.(string), ","), func(one string) bool { return slices.Contains(g.has, one) })
		return []string{"missing"}, [][]string{{strings.Join(missing, ",")}}, nil
	case strings.Contains(query, "gtid_executed"):
		return []string{"has"}, [][]string{{strings.Join(g.has, ",")}}, nil
	}
	return nil, nil, errors.New("no answer to " + query)
}

// TestCaughtUpWithAllWriters: where all members write, each can have what any other lacks, and one that
// was killed is compared with none.
func TestCaughtUpWithAllWriters(t *testing.T) {
	all := func() []*grouped {
		return []*grouped{{has: []string{"u:1"}}, {has: []string{"u:1"}}, {has: []string{"u:1"}}}
	}
	behind := record.LeftBehind.Say()
	for _, c := range []struct {
		why    string
		change func(of []*grouped)
		want   map[int]string // by member
	}{
		{"all have the same", func([]*grouped) {}, map[int]string{1: "", 2: "", 3: ""}},
		{"member 2 has committed more", func(of []*grouped) { of[1].has = append(of[1].has, "u:2") }, map[int]string{1: behind, 2: "", 3: behind}},
		{"member 1 was killed", func(of []*grouped) { of[0].killed = true }, map[int]string{2: "", 3: ""}},
		{"member 1 was killed, and member 3 has committed more", func(of []*grouped) { of[0].killed = true; of[2].has = append(of[2].has, "u:2") }, map[int]string{2: behind, 3: ""}},
	} {
		of := all()
		c.change(of)
		database := databaseOf(t, 3, replication.AllWriters)
		s := &servers{database: database, watch: newWatch(database, &mysqld.Routes{})}
		var opened []*sql.DB
		for i, g := range of {
			db := sql.OpenDB(&mysqldtest.Answers{Query: g.query})
			defer db.Close()
			opened = append(opened, db)
			s.watch.mark(i+1, func(m *seen) { m.dead = g.killed })
		}
		for number, want := range c.want {
			if got := s.missing(t.Context(), opened, number); got != want {
				t.Errorf("%s: member %d: %q, want %q", c.why, number, got, want)
			}
		}
	}
}

// itself is a server whose process is the test's.
type itself struct{ target.Server }

func (itself) Address() mysqld.Address                     { return mysqld.Address{Socket: "/nowhere", User: "root"} }
func (itself) Facts(context.Context, string) []record.Fact { return nil }
func (itself) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{PID: os.Getpid}
}

// TestFactsBeforeTheWait: what members tell at the end of the load is read before they are waited for,
// since one that has caught up is no longer behind.
func TestFactsBeforeTheWait(t *testing.T) {
	database := databaseOf(t, 2, replication.OneWriter)
	for number := 1; number <= 2; number++ {
		database.At(number, itself{}.Address())
	}
	s := &servers{all: []target.Server{itself{}, itself{}}, database: database, watch: newWatch(database, &mysqld.Routes{})}
	used := func(facts []record.Fact) string {
		i := slices.IndexFunc(facts, func(f record.Fact) bool { return f.Key == "replication.member.2.server.run_ns" })
		if i < 0 {
			t.Fatalf("the facts are %v", facts)
		}
		return facts[i].Value
	}
	if _, err := s.after(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	waited := used(s.waited)
	for used(s.ofMembers(t.Context(), "end")) == waited { // until the process has used more
	}
	if got := used(s.Facts(t.Context(), "end")); got != waited {
		t.Errorf("member 2 used %s ns, want %s", got, waited)
	}
}
