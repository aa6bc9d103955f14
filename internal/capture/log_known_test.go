package capture

// This file tests what a log shows beside the statements: when they ended, the limits and ranges that
// they ask for, and the schema that they choose.

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/capture/packets"
	"github.com/tarebench/tare/internal/workload/file"
)

// loggedAt is the time of an entry, in milliseconds after the first.
func loggedAt(ms int) string {
	return time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond).Format("2006-01-02T15:04:05.000000Z")
}

// generalLogOf is a general log with one statement of connection 8 each interval.
func generalLogOf(ms int, statements ...string) string {
	text := loggedAt(0) + "\t    8 Connect\tapp@localhost on shop using Socket\n"
	for i, s := range statements {
		text += loggedAt((i+1)*ms) + "\t    8 Query\t" + s + "\n"
	}
	return text
}

// slowLogOf is a slow log with one statement of connection 8 each interval; each of them took took and
// returned rows.
func slowLogOf(ms, took, rows int, statements ...string) string {
	var b strings.Builder
	for i, s := range statements {
		fmt.Fprintf(&b, "# Time: %s\n# User@Host: app[app] @ localhost []  Id:     8\n# Query_time: %.6f  Lock_time: 0.000000 Rows_sent: %d  Rows_examined: %d\nuse shop;\nSET timestamp=1;\n%s;\n",
			loggedAt((i+1)*ms), float64(took)/1000, rows, rows, s)
	}
	return b.String()
}

// describedLog is the file that a log becomes, with a table of 100,000 rows.
func describedLog(t *testing.T, text string) *Described {
	t.Helper()
	seen, err := ReadLog(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{seen: seen, assumed: map[string]bool{}}
	b.server.tables = schema{"t": {
		name: "t", rows: 100_000, columns: []*column{{name: "id", kind: "int", low: 1, high: 100_000, ranged: true}, {name: "day", kind: "date"}},
		indexes: map[string]*index{"PRIMARY": {unique: true, columns: []string{"id"}}},
	}}
	b.expand(t.Context())
	b.shape.find(seen.Transactions)
	b.shape.fit()
	b.shape.name()
	d, err := b.build(Options{Name: "log"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTimesOfLogs: a slow log has the latencies of transactions and the pauses between them, also where
// the next BEGIN commits a transaction. A general log has neither, so no think time is written and the
// time in the server is not taken for one.
func TestTimesOfLogs(t *testing.T) {
	var statements []string
	for i := range 5 {
		statements = append(statements, "BEGIN", fmt.Sprintf("DELETE FROM t WHERE id = %d", i), "COMMIT", "BEGIN", fmt.Sprintf("SELECT day FROM t WHERE id = %d", i))
	}
	for name, c := range map[string]struct {
		text             string
		mean, p95, pause float64
		think            time.Duration
		latency, without string
	}{
		"slow":    {slowLogOf(20, 5, 0, statements...), 45, 45, 15, 15 * time.Millisecond, "mean 45.00 ms", "not known"},
		"general": {generalLogOf(20, statements...), unknown(), unknown(), unknown(), 0, "latency not known", " ms"},
	} {
		t.Run(name, func(t *testing.T) {
			d := describedLog(t, c.text)
			if k := kindCalled(d, "delete_t"); !same(k.Mean, c.mean) || !same(k.P95, c.p95) || !same(k.Pause, c.pause) ||
				!strings.Contains(k.String(), c.latency) || strings.Contains(k.String(), c.without) {
				t.Errorf("%v; mean %v ms, p95 %v ms, pause %v ms", k, k.Mean, k.P95, k.Pause)
			}
			if k := kindCalled(d, "select_t"); !(k.Mean < 30) && name == "slow" { // 25 ms from BEGIN to the end of SELECT
				t.Errorf("%v: the time until the next BEGIN is not the transaction's", k)
			}
			for _, tr := range d.File.Transactions {
				if think := time.Duration(tr.Think); (think - c.think).Abs() > time.Millisecond {
					t.Errorf("%s: think %v, want %v", tr.Name, think, c.think)
				}
			}
			head := strings.Join(d.File.Comments, "\n")
			if says := strings.Contains(head, "latencies and the pauses between transactions (think) are not known"); says != (name == "general") {
				t.Errorf("what is not known in\n%s", head)
			}
		})
	}
}

// same compares numbers to a microsecond; two that are not known are the same.
func same(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 0.001 }

func kindCalled(d *Described, name string) (found Kind) {
	for _, k := range d.Kinds {
		if k.Name == name {
			found = k
		}
	}
	return found
}

// TestUnanswered: a statement whose answer was not captured ends at a time that is not known. It is
// none of those that were timed.
func TestUnanswered(t *testing.T) {
	s := newLogSession()
	const text = "SELECT day FROM t WHERE id = 1"
	sent(s, 1, "shop", packets.Statement{Text: text, Answered: true}, packets.Statement{Text: text, Answered: true}, packets.Statement{Text: text})
	seen, err := s.seen(Seen{}, "shop")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if k := d.Kinds[0]; k.Sample != 2 || !same(k.Mean, 1) {
		t.Errorf("%v", k)
	}
}

// TestLimitsOfLogs: LIMIT, the length of a list and the width of a range are those that were sent,
// whatever number of rows the statement returned.
func TestLimitsOfLogs(t *testing.T) {
	for sql, want := range map[string]struct {
		params []string
		note   string
	}{
		"SELECT day FROM t WHERE day = '2020-01-01' LIMIT 50":        {[]string{"query", "50"}, "LIMIT is the mean of the limits that were sent"},
		"SELECT day FROM t WHERE id IN (1, 2, 3) LIMIT 50":           {[]string{"draw", "draw", "draw", "50"}, "an IN list has 3 values"},
		"SELECT day FROM t ORDER BY id LIMIT 20, 10":                 {[]string{"0", "10"}, "OFFSET is 0"},
		"SELECT day FROM t ORDER BY id LIMIT 0":                      {[]string{"0"}, "LIMIT is the mean of the limits that were sent"},
		"SELECT day FROM t WHERE id >= 1000 AND id < 1100":           {[]string{"low", "+100"}, "a range is as wide as the mean of those that were sent"},
		"SELECT SUM(id) FROM t WHERE id BETWEEN 1000 AND 1099":       {[]string{"low", "+99"}, "a range is as wide as the mean of those that were sent"},
		"SELECT day FROM t WHERE id > 5 AND day > 'a' AND id <= 205": {[]string{"low", "query", "+200"}, "a range is as wide as the mean of those that were sent"},
	} {
		for name, text := range map[string]string{"slow": slowLogOf(10, 1, 2, sql, sql), "general": generalLogOf(10, sql, sql)} {
			t.Run(name+" "+sql, func(t *testing.T) {
				d := describedLog(t, text)
				if diff := cmp.Diff(want.params, drawnAs(d.File.Transactions[0].Statements[0].Params)); diff != "" {
					t.Error(diff)
				}
				if head := strings.Join(d.File.Comments, "\n"); !strings.Contains(head, want.note) {
					t.Errorf("no %q in\n%s", want.note, head)
				}
			})
		}
	}
}

// drawnAs says in one word each how parameters are drawn.
func drawnAs(params []file.Value) (all []string) {
	for _, v := range params {
		switch {
		case v.Constant != nil && v.Constant.Number != nil:
			all = append(all, fmt.Sprint(v.Constant.Number.Value))
		case v.From != nil && v.From.Plus != nil:
			all = append(all, fmt.Sprintf("+%d", v.From.Plus.Value))
		case v.From != nil:
			all = append(all, "low")
		case v.Query != nil:
			all = append(all, "query")
		default:
			all = append(all, "draw")
		}
	}
	return all
}

// TestRangesOfDifferentLiterals: the width is the mean of several, and it is not known where an end is
// not always a whole number. Two statements have no range in common.
func TestRangesOfDifferentLiterals(t *testing.T) {
	const both = "SELECT day FROM t WHERE id >= %s AND id < %s"
	d := describedLog(t, generalLogOf(10, fmt.Sprintf(both, "10", "20"), fmt.Sprintf(both, "500", "530")))
	if diff := cmp.Diff([]string{"low", "+20"}, drawnAs(d.File.Transactions[0].Statements[0].Params)); diff != "" {
		t.Error(diff)
	}
	d = describedLog(t, slowLogOf(10, 1, 7, fmt.Sprintf(both, "10", "20"), fmt.Sprintf(both, "0.5", "530")))
	if diff := cmp.Diff([]string{"low", "+6"}, drawnAs(d.File.Transactions[0].Statements[0].Params)); diff != "" {
		t.Errorf("the rows of the log: %s", diff)
	}
	const one, other = "SELECT day FROM t WHERE id > 7", "DELETE FROM t WHERE id < 9"
	d = describedLog(t, generalLogOf(10, "BEGIN", one, other, "COMMIT"))
	if diff := cmp.Diff([]string{"draw"}, drawnAs(d.File.Transactions[0].Statements[1].Params)); diff != "" {
		t.Errorf("the end of a range in another statement: %s", diff)
	}
}

// TestSkewAfterList: a parameter after "?, ..." has its own skew, not that of the one behind it.
func TestSkewAfterList(t *testing.T) {
	var statements []string
	for i := range 200 {
		statements = append(statements, fmt.Sprintf("SELECT 1, 2 FROM t WHERE id = %d AND id <> 5 LIMIT 3", i*7919%100_000))
	}
	d := describedLog(t, generalLogOf(10, statements...))
	params := d.File.Transactions[0].Statements[0].Params
	if len(params) != 5 || params[2].Uniform == nil || params[3].Zipf == nil {
		t.Errorf("parameters %+v", params)
	}
}

// TestUseInLogs: USE that was sent as a statement chooses the schema of the next ones.
func TestUseInLogs(t *testing.T) {
	for _, use := range []string{"USE billing", "use `billing` ;", "/* pool */ USE billing -- now"} {
		text := generalLogOf(10, "SELECT day FROM t", use, "SELECT id FROM invoice WHERE id = 1", "SELECT id FROM t USE INDEX (PRIMARY)", "SELECT id FROM invoice WHERE id = 2")
		seen, err := ReadLog(strings.NewReader(text), "billing")
		if err != nil {
			t.Errorf("%s: %v", use, err)
			continue
		}
		if n := countsOf(seen)["SELECT `id` FROM `invoice` WHERE `id` = ?"]; n != 2 || seen.Elsewhere.Count != 1 {
			t.Errorf("%s: %v statements of the schema, %v of others", use, n, seen.Elsewhere.Count)
		}
	}
	for text, want := range map[string]string{"USE billing": "billing", "USE Date": "Date", "USE `a``b`": "a`b", "USE a b": "", "SELECT 1": "", "USE": ""} {
		n, err := normalize(text, newLogSession().seed)
		if got, _ := chosen(n.text); err != nil || got != want {
			t.Errorf("%s (%s) chooses %q, want %q; %v", text, n.text, got, want, err)
		}
	}
}

// TestQuantile: the nearest rank.
func TestQuantile(t *testing.T) {
	for n := 1; n <= 400; n++ {
		var values []float64
		for i := n; i > 0; i-- {
			values = append(values, float64(i), math.NaN())
		}
		if got, want := quantile(values, 0.95), float64((95*n+99)/100); got != want {
			t.Errorf("p95 of 1 to %d is %v, want %v", n, got, want)
		}
	}
	if got := quantile([]float64{2, 1}, 0); got != 1 {
		t.Errorf("the least of two is %v", got)
	}
	if got := quantile([]float64{math.NaN()}, 0.95); !math.IsNaN(got) {
		t.Errorf("the quantile of nothing is %v", got)
	}
}

// TestWholeSecondsOfTimes: MySQL 5.1 and older write the time of a statement in whole seconds, in which 0 can be 999
// ms. It is no latency.
func TestWholeSecondsOfTimes(t *testing.T) {
	log := func(took int) string {
		var b strings.Builder
		for n := range 30 {
			fmt.Fprintf(&b, "# Time: 260304 10:00:%02d\n# User@Host: app[app] @ web-1 [10.0.0.7]  Id: 7\n# Query_time: %d  Lock_time: 0  Rows_sent: 1  Rows_examined: 0\nuse shop;\nSELECT a FROM t WHERE id = %d;\n", n, took, n)
		}
		return b.String()
	}
	for took, says := range map[int]string{0: "The times of 30 statements have whole seconds, the least 0 s.", 2: "If long_query_time was above 0, faster statements are missing"} {
		seen, err := ReadLog(strings.NewReader(log(took)), "")
		if err != nil {
			t.Fatal(err)
		}
		d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(d.File.Marshal()); !strings.Contains(text, "latency not known") || !strings.Contains(text, says) || !math.IsNaN(d.CoveredTime) || !(math.Abs(d.Transactions-30/29.0) < 0.01) {
			t.Errorf("%q, %v/s, in\n%s", d.Kinds, d.Transactions, text)
		}
	}
}

// TestShortSpanOfWholeSeconds: of whole seconds, a span is known to one second either way, so one of a second has no
// rate.
func TestShortSpanOfWholeSeconds(t *testing.T) {
	var b strings.Builder
	for n := range 50 {
		fmt.Fprintf(&b, "# Time: 260304 10:00:%02d\n# User@Host: app[app] @ web-1 [10.0.0.7]  Id: 7\n# Query_time: 0.001000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\nuse shop;\nSELECT a FROM t WHERE id = %d;\n", n/30, n)
	}
	seen, err := ReadLog(strings.NewReader(b.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(d.File.Marshal()); d.Load() != "rates are not known" || !strings.Contains(text, "because the log's times have whole seconds, and its statements are within 2 s") || strings.Contains(text, "/s") {
		t.Errorf("%s, in\n%s", d.Load(), text)
	}
}

// TestServersOwnTables: RDS reads its heartbeat in mysql over a connection whose schema the log does not name. It is
// none of the application's.
func TestServersOwnTables(t *testing.T) {
	text := strings.ReplaceAll(plainSlow(), "# Time: 2026-03-04T10:00:30", "# Time: 2026-03-04T10:00:30.000000Z\n# User@Host: rdsadmin[rdsadmin] @ localhost []  Id: 5\n# Query_time: 0.000300  Lock_time: 0.000001 Rows_sent: 1  Rows_examined: 1\nSET timestamp=1772618400;\nSELECT value FROM mysql.rds_heartbeat2;\n# Time: 2026-03-04T10:00:30")
	seen, err := ReadLog(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Kinds) != 2 || seen.Elsewhere.Count < 1 || seen.Schema != "shop" {
		t.Errorf("%v, %v elsewhere, schema %s", d.Kinds, seen.Elsewhere, seen.Schema)
	}
}
