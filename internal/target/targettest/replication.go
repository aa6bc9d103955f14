package targettest

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// WithCopies gives a request what the further members of a replicated database need.
func WithCopies(t *testing.T, r target.Request, members int) target.Request {
	t.Helper()
	for number := 2; number <= members; number++ {
		dir := filepath.Join(r.Dir, fmt.Sprint("data-", number))
		if out, err := exec.Command("cp", "-a", "--reflink=auto", r.DataDir, dir).CombinedOutput(); err != nil {
			t.Fatalf("copy data directory: %v: %s", err, out)
		}
		r.Copies = append(r.Copies, dir)
	}
	return r
}

// Replicates starts a server of several members and makes them one database. A row that is
// written on the first is then there on all, the others refuse writes, members that were frozen
// are members as before, and after Stop nothing is left. It returns the facts of both phases, by key.
func Replicates(t *testing.T, place target.Target, r target.Request) map[string]string {
	t.Helper()
	before := look(t, r)
	server := suite{target: place}.start(t, r)
	if err := server.Capabilities().Join(context.Background(), hang); err != nil {
		t.Fatal(err)
	}
	facts := factsOf(server, "start")
	checkFacts(t, facts, "start")
	everywhere(t, r, server.Address(), 42)
	frozenMembers(t, r, server)
	end := factsOf(server, "end")
	checkFacts(t, end, "end")
	for _, f := range end {
		if f.Unknown != "" && strings.HasPrefix(f.Key, "replication.") {
			t.Errorf("%s is unknown: %s", f.Key, f.Unknown)
		}
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	after := look(t, r)
	if before.found != after.found {
		t.Errorf("left behind:\n%s", after.found)
	}
	if left, _ := filepath.Glob(filepath.Join(r.RunDir, "*")); len(left) > 0 {
		t.Errorf("left in the run directory: %v", left)
	}
	known := map[string]string{}
	for _, f := range append(facts, end...) {
		known[f.Key] = f.Value
	}
	return known
}

// factsOf asks again where a member has not answered within the time that it is given: on a busy
// machine that says nothing of the member.
func factsOf(server target.Server, phase string) (facts []record.Fact) {
	for range 5 {
		facts = server.Facts(context.Background(), phase)
		if !slices.ContainsFunc(facts, func(f record.Fact) bool {
			return strings.HasPrefix(f.Key, "replication.") && (strings.Contains(f.Unknown, "deadline exceeded") || strings.Contains(f.Unknown, "timeout"))
		}) {
			break
		}
	}
	return facts
}

// frozenMembers freezes all members for as long as is possible at most. None uses CPU time
// meanwhile, and what is written afterwards is on all.
func frozenMembers(t *testing.T, r target.Request, server target.Server) {
	t.Helper()
	has := server.Capabilities()
	if has.Freeze == nil || has.MostFrozen == 0 {
		t.Fatal("the members cannot be frozen, or for any time")
	}
	for err := has.Freeze(); err != nil; err = has.Freeze() {
		t.Logf("Freeze: %v", err) // the kernel holds a task
	}
	stopped := map[int]int{}
	for _, pid := range membersOf(t, r) {
		settled(t, pid)
		stopped[pid] = ticks(t, pid)
	}
	time.Sleep(has.MostFrozen)
	for pid, before := range stopped {
		if now := ticks(t, pid); now != before {
			t.Errorf("a frozen member used %d ticks of CPU", now-before)
		}
	}
	if err := has.Thaw(); err != nil {
		t.Fatalf("Thaw: %v", err)
	}
	everywhere(t, r, server.Address(), 43)
}

// membersOf are the processes of all members' servers.
func membersOf(t *testing.T, r target.Request) (pids []int) {
	t.Helper()
	owned, err := target.Scan(r.Name, r.Dir, r.RunDir)
	for _, p := range owned.Processes {
		if strings.Contains(p.Command, filepath.Base(r.Distribution.Server)) {
			pids = append(pids, p.PID)
		}
	}
	if err != nil || len(pids) < 1+len(r.Copies) {
		t.Fatalf("%d members have the processes %v (error %v)", 1+len(r.Copies), pids, err)
	}
	return pids
}

// everywhere writes a row through the first member and waits until the others have it.
func everywhere(t *testing.T, r target.Request, first mysqld.Address, id int) {
	t.Helper()
	db, err := mysqld.Open(first)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{"CREATE DATABASE IF NOT EXISTS ledger", "CREATE TABLE IF NOT EXISTS ledger.entry (id INT PRIMARY KEY)", fmt.Sprintf("INSERT INTO ledger.entry VALUES (%d)", id)} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for number := 2; number <= len(r.Copies)+1; number++ {
		member, err := mysqld.Open(mysqld.Address{Socket: filepath.Join(r.RunDir, fmt.Sprint(number), target.SocketFile), User: "root"})
		if err != nil {
			t.Fatal(err)
		}
		defer member.Close()
		got := 0
		for deadline := time.Now().Add(hang); got != id; time.Sleep(10 * time.Millisecond) {
			err := member.QueryRow("SELECT MAX(id) FROM ledger.entry").Scan(&got)
			if got != id && time.Now().After(deadline) {
				t.Fatalf("member %d does not have the row: %v", number, err)
			}
		}
		var readOnly bool
		if err := member.QueryRow("SELECT @@GLOBAL.read_only").Scan(&readOnly); err != nil || !readOnly {
			t.Errorf("member %d takes writes (error %v)", number, err)
		}
	}
}
