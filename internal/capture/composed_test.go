package capture

// This file tests transactions that are made up from counts beside a pool that only reads.

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// TestComposedBesideReaders: two connections write in transactions, most of whose statements are too long to be read,
// and three read with autocommit. The reads are in no transaction, and their rate is right.
func TestComposedBesideReaders(t *testing.T) {
	const transactions, readers, each = 200, 3, 400
	var b strings.Builder
	b.WriteString(banner)
	start := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	entry := func(at time.Duration, thread int, statement string) {
		fmt.Fprintf(&b, "# Time: %s\n# User@Host: app[app] @ web-1 [10.0.0.7]  Id: %5d\n# Query_time: 0.001000  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 1\nuse shop;\nSET timestamp=1772618400;\n%s;\n", start.Add(at).Format("2006-01-02T15:04:05.000000Z"), thread, statement)
	}
	long := "INSERT INTO file (body) VALUES ('" + strings.Repeat("x", longestLine) + "')"
	for n := range each {
		at := time.Duration(n) * 100 * time.Millisecond
		for r := range readers {
			entry(at+time.Duration(r)*time.Millisecond, 21+r, fmt.Sprintf("SELECT price FROM item WHERE id = %d", n))
		}
		if n >= transactions {
			continue
		}
		thread := 11 + n%2
		entry(at+10*time.Millisecond, thread, "BEGIN")
		entry(at+20*time.Millisecond, thread, fmt.Sprintf("SELECT price FROM item WHERE id = %d", n))
		entry(at+30*time.Millisecond, thread, fmt.Sprintf("UPDATE stock SET n = n - 1 WHERE id = %d", n))
		if n%20 == 0 { // a few, for the memory of the test
			entry(at+35*time.Millisecond, thread, long)
		} else {
			entry(at+35*time.Millisecond, thread, "UPDATE file SET a = 1; UPDATE file SET b = 2")
		}
		entry(at+40*time.Millisecond, thread, fmt.Sprintf("INSERT INTO sale (item) VALUES (%d)", n))
		entry(at+50*time.Millisecond, thread, "COMMIT")
	}
	seen, err := ReadLog(strings.NewReader(b.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.File.Marshal())
	reads, buys := kindCalled(d, "select_item"), kindCalled(d, "update_stock")
	wantReads, wantBuys := readers*each/seen.Seconds, transactions/seen.Seconds
	if len(d.Kinds) != 2 || math.Abs(reads.Rate/wantReads-1) > 0.01 || math.Abs(buys.Rate/wantBuys-1) > 0.01 {
		t.Errorf("%v, want %.1f reads/s and %.1f transactions/s that write, in\n%s", d.Kinds, wantReads, wantBuys, text)
	}
	for _, want := range []string{"These transactions are estimated from counts", "sent with autocommit are kinds of their own", "390 statements that are cut off"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, tr := range d.File.Transactions {
		if tr.Autocommit == (len(tr.Statements) > 1) {
			t.Errorf("%s has %d statements, autocommit %v", tr.Name, len(tr.Statements), tr.Autocommit)
		}
	}
}

// TestStandsFor: of a busy session, a ring shows a smaller part.
func TestStandsFor(t *testing.T) {
	session := func(ids ...int64) (all []event) {
		for i, id := range ids {
			all = append(all, event{id: id, last: id, gap: i > 0 && id > ids[i-1]+2})
		}
		return all
	}
	for _, c := range []struct {
		events []event
		want   float64
	}{
		{session(1, 2, 3, 4), 1}, {session(1), 1},
		{session(2, 4, 6, 102, 104), 10.2}, // 102 numbers, two a statement: 51 statements, of which 5 were read
	} {
		if got := standsFor(c.events); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%v: each stands for %v statements, want %v", c.events, got, c.want)
		}
	}
}
