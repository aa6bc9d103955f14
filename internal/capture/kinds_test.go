package capture

import (
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/workload/file"
)

// digestNames are the statements of a simulated application.
func simulated(texts ...string) *Seen {
	seen := &Seen{Seconds: 100, Took: unknown()}
	for _, text := range texts {
		seen.Statements = append(seen.Statements, Statement{Text: text})
	}
	return seen
}

// run adds transactions of one kind: all to the counts, some to the sample.
func (s *Seen) run(n, sampled int, statements ...int) {
	for _, i := range statements {
		s.Statements[i].Count += float64(n)
		s.Statements[i].Milliseconds += float64(n)
	}
	for range sampled {
		s.Transactions = append(s.Transactions, Transaction{Statements: statements, Explicit: true, Milliseconds: 2, Pause: unknown()})
	}
}

func application() *Seen {
	return simulated(
		"SELECT `price` FROM `item` WHERE `id` = ?",
		"UPDATE `stock` SET `n` = `n` - ? WHERE `id` = ?",
		"INSERT INTO `sale` ( `id` ) VALUES (?)",
		"UPDATE `account` SET `paid` = ? WHERE `id` = ?",
		"COMMIT",
	)
}

// TestBiasedSample: the shares of the kinds are those of the counts, although the sample has
// the long transactions too rarely, as a ring of the last statements does. The shares of the
// sample itself are off, which is what the fit is for.
func TestBiasedSample(t *testing.T) {
	seen := application()
	seen.run(600, 10, 0, 0, 0, 1, 2, 1, 2)
	seen.run(400, 40, 3)
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"update_stock": 0.6, "update_account": 0.4}
	if len(d.Kinds) != len(want) {
		t.Fatalf("%d kinds: %v", len(d.Kinds), d.Kinds)
	}
	for _, k := range d.Kinds {
		if math.Abs(k.Share-want[k.Name]) > 0.01 {
			t.Errorf("%s is %.3f of all, want %.3f", k.Name, k.Share, want[k.Name])
		}
	}
	if math.Abs(d.Transactions-10) > 0.1 {
		t.Errorf("%.2f transactions a second, want 10", d.Transactions)
	}
}

// TestComposed: without a sample, transactions have every statement as often as it was
// counted for each COMMIT.
func TestComposed(t *testing.T) {
	seen := application()
	seen.run(1000, 0, 0, 0, 0, 1)
	seen.run(300, 0, 2)
	seen.run(1000, 0, 4)
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"SELECT `price` FROM `item` WHERE `id` = ?": 3, "UPDATE `stock` SET `n` = `n` - ? WHERE `id` = ?": 1, "INSERT INTO `sale` (`id`) VALUES (?)": 0.3}
	got, all := map[string]float64{}, 0.0
	for _, tr := range d.File.Transactions {
		all += weightOf(tr)
		for _, s := range tr.Statements {
			got[s.SQL] += weightOf(tr)
		}
	}
	for sql, each := range want {
		if math.Abs(got[sql]/all-each) > 0.01 {
			t.Errorf("%s: %.3f each transaction, want %.1f", sql, got[sql]/all, each)
		}
	}
}

// TestAssemble: transactions are put together from the statements of a session; what may be
// cut off is left out.
func TestAssemble(t *testing.T) {
	statements := []Statement{{Text: "BEGIN"}, {Text: "COMMIT"}, {Text: "ROLLBACK"}, {Text: "SELECT `a` FROM `t`"}, {Text: "UPDATE `t` SET `a` = ?"}, {Text: "SET NAMES `utf8mb4`"}}
	index := map[key]int{}
	for i := range statements {
		index[key{"s", string(rune('a' + i))}] = i
	}
	var events []event
	at := 0.0
	add := func(thread int64, transaction int64, gap bool, digests string) {
		for _, d := range digests {
			at++
			events = append(events, event{key: key{"s", string(d)}, thread: thread, id: int64(at), start: at, end: at + 0.5, took: 0.5, transaction: transaction, gap: gap})
			gap = false
		}
	}
	add(1, 0, true, "db")    // the end of a transaction that was under way
	add(1, 0, false, "adeb") // a whole one
	add(1, 0, false, "aec")  // rolled back
	add(1, 0, false, "ade")  // with a deadlock, after which the application begins again
	events[len(events)-1].failed = true
	add(1, 0, false, "adeb") //
	add(1, 0, false, "fd")   // one statement with autocommit
	add(1, 0, true, "eb")    // after a gap
	add(3, 0, true, "adad")  // a BEGIN that commits the one before
	for i, hidden := range []event{{prepare: true}, {nested: true}, {}} {
		thread := int64(5 + i)
		add(thread, 0, true, "ad")
		at++ // the event after a gap is in no transaction itself
		hidden.thread, hidden.id, hidden.gap = thread, int64(at), true
		events = append(events, hidden)
		add(thread, 0, false, "eb")
	}
	got := assemble(events, index, statements, beginsWith{}).all
	events = nil
	add(2, 7, true, "de")   // without BEGIN, of which the beginning was not seen
	add(2, 0, false, "b")   // its end
	add(2, 9, false, "deb") // without BEGIN
	add(4, 0, true, "d")    // the server times transactions: this is none
	got = append(got, assemble(events, index, statements, beginsWith{}).all...)
	want := []Transaction{
		{Statements: []int{3, 4}, Explicit: true}, {Statements: []int{4}, Explicit: true, RolledBack: true}, {Statements: []int{3, 4}, Explicit: true}, {Statements: []int{3}},
		{Statements: []int{3}, Explicit: true}, {Statements: []int{3, 4}, Explicit: true}, {Statements: []int{3}},
	}
	if len(got) != len(want) {
		t.Fatalf("%d transactions: %+v", len(got), got)
	}
	for i, w := range want {
		g := got[i]
		if len(g.Statements) != len(w.Statements) || g.Statements[0] != w.Statements[0] || g.Explicit != w.Explicit || g.RolledBack != w.RolledBack || !(g.Milliseconds > 0) {
			t.Errorf("transaction %d is %+v, want %+v", i, g, w)
		}
	}
}

func weightOf(t file.Transaction) float64 {
	return float64(t.Weight.Value) / math.Pow10(t.Weight.Decimals)
}

// TestRefusedMember: of two tables of a family one is in the file, where the statement on the
// other cannot be written out again.
func TestRefusedMember(t *testing.T) {
	seen := simulated("UPDATE `t1` SET `a` = ?", "UPDATE `t2` SET `a` = ? ...", "UPDATE `t3` SET `a` = ?")
	seen.run(100, 10, 0)
	seen.run(300, 30, 1)
	seen.run(100, 10, 2)
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.File.Transactions) != 2 || math.Abs(d.CoveredCount-0.4) > 0.001 || !strings.Contains(string(d.File.Marshal()), "300 times") {
		t.Errorf("%s", d.File.Marshal())
	}
}

// TestBound: the rarest transactions are left out of a file above the limit, the others stay.
func TestBound(t *testing.T) {
	s := shape{}
	for n := range 400 {
		s.kinds = append(s.kinds, kind{courses: []course{{count: float64(1000 - n), families: make([]int, 5)}}})
	}
	s.kinds = append(s.kinds, kind{courses: []course{{count: 1, families: make([]int, 3000)}, {count: 5000, families: make([]int, 2)}}})
	dropped := s.bound()
	if n := s.size(); n > mostStatements || n < mostStatements-5 {
		t.Errorf("%d statements", n)
	}
	last := s.kinds[len(s.kinds)-1]
	if len(last.courses) != 1 || last.courses[0].count != 5000 || s.kinds[0].count() != 1000 || dropped < 3000 {
		t.Errorf("%d kinds, the last %+v, %v dropped", len(s.kinds), last.courses, dropped)
	}
	if again := s.bound(); again != 0 {
		t.Errorf("%v dropped of a file within the limit", again)
	}
}
