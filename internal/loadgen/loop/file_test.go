package loop_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
	"github.com/tarebench/tare/internal/workload/file"
)

// fileJob makes a job of a workload file.
func (b *bench) fileJob(t testing.TB, name string, source []byte, o workload.Options) *loop.Job {
	t.Helper()
	w, err := file.Parse(name, source)
	if err != nil {
		t.Fatal(err)
	}
	p, err := workload.FromFile(w, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.NewDialer(b.address)
	if err != nil {
		t.Fatal(err)
	}
	return &loop.Job{Program: p, Dial: d.Dial, Connections: o.Threads, Seed: 1, Drain: 20 * time.Second, DialAtOnce: 8,
		Faults: loop.Policy{Stop: true, FirstPause: 5 * time.Millisecond, LongestPause: 200 * time.Millisecond}}
}

// fillFile makes the tables of a job, twice: the second time all rows are there.
func fillFile(t testing.TB, j *loop.Job) {
	t.Helper()
	for range 2 {
		if err := fill.Run(t.Context(), fill.Job{Tables: j.Program.Tables(1), Dial: j.Dial, Workers: 2, Verify: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func bind(t testing.TB, j *loop.Job) {
	t.Helper()
	if err := loadgen.Bind(t.Context(), j.Dial, j.Program); err != nil {
		t.Fatal(err)
	}
}

func connections(n int, text bool) workload.Options {
	o := workload.Defaults()
	o.Threads, o.TextProtocol = n, text
	return o
}

// exampleFile is one of examples/workloads with fewer rows.
func exampleFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../examples/workloads/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer("rows: 50_000", "rows: 5_000", "rows: 100_000", "rows: 5_000").Replace(string(text)))
}

// workloadFiles fills the tables of the examples and runs them, prepared and as text: every
// statement succeeds, the transactions have their shares, and the rows are what the
// statements say.
func workloadFiles(t *testing.T, b *bench) {
	for _, c := range []struct {
		name   string
		counts map[string]string // SQL, and what it returns: a number, or a kind of transaction whose number it is
	}{
		{"shop.yaml", map[string]string{
			"SELECT COUNT(*) - 5000 FROM orders": "buy",
			"SELECT SUM(orders) FROM customer":   "buy",
			"SELECT COUNT(*) FROM orders o JOIN item i ON i.id = o.item WHERE o.id > 5000 AND o.price <> i.price": "0",
			"SELECT COUNT(*) FROM customer WHERE email <> CONCAT('user', LPAD(id, 8, '0'))":                       "0",
			"SELECT COUNT(*) FROM orders WHERE note IS NOT NULL AND note <> 'please ring twice'":                  "0",
		}},
		{"jobs.yaml", map[string]string{
			"SELECT COUNT(*) FROM job WHERE attempts > 1": "0",
		}},
		{"timeseries.yaml", map[string]string{
			"SELECT (COUNT(*) - 5000) DIV 2 FROM measurement":                                            "report",
			"SELECT COUNT(*) FROM measurement WHERE temperature NOT BETWEEN -20 AND 45 OR device > 1000": "0",
		}},
	} {
		b.exec(t, "DROP SCHEMA sbtest", "CREATE SCHEMA sbtest")
		done := map[string]int64{}
		const events = 400
		for _, text := range []bool{false, true} {
			j := b.fileJob(t, c.name, exampleFile(t, c.name), connections(4, text))
			if j.Events = events; !text {
				fillFile(t, j)
			}
			bind(t, j)
			r := run(t, j)
			w := r.Window
			// What another transaction was in the way of is tried again: deadlocks, lock waits, changed rows.
			if failed := w.ErrorCount() - w.Errors[1213] - w.Errors[1205] - w.Errors[1020]; failed != 0 || w.Transactions != events || r.Unfinished != 0 {
				t.Errorf("%s, text %v: %d of %d transactions, errors %v, %d unfinished", c.name, text, w.Transactions, events, w.Errors, r.Unfinished)
			}
			for i, kind := range j.Program.Kinds {
				n := w.Kinds[i].Count()
				done[kind] += n
				want := float64(j.Program.Choices[i].Weight) / 100
				if d := math.Abs(float64(n)/events - want); d > 5*math.Sqrt(want*(1-want)/events) {
					t.Errorf("%s: %d of %d transactions are %s, its share is %v", c.name, n, events, kind, want)
				}
			}
		}
		for sql, want := range c.counts {
			rows, err := b.inSchema(t).Query(t.Context(), sql)
			if err != nil {
				t.Fatal(err)
			}
			if n, ok := done[want]; ok {
				want = fmt.Sprint(n)
			}
			if rows[0][0] != want {
				t.Errorf("%s: %s: %s, want %s", c.name, sql, rows[0][0], want)
			}
		}
	}
}

func (b *bench) inSchema(t testing.TB) *wire.Session {
	t.Helper()
	a := b.Address
	a.Schema = "sbtest"
	return dial(t, a)
}

// everyType has a column of each kind of type that a server has.
const everyType = `
apiVersion: tarebench.io/v1alpha1
kind: Workload
metadata: {name: every-type}
tables:
  source:
    rows: 1
    create: CREATE TABLE source (COLUMNS)
    columns:
      a: -128
      b: 65535
      c: 4294967295
      d: -9223372036854775808
      e: 123456789012.34567
      f: -1.5
      g: 0.25
      h: "it's a \\ \"café\" \U0001F600"
      i: {choice: ["x'y"]}
      j: "2026-01-31 23:59:58.123456"
      k: 2026-01-31
      l: "-12:34:56.789"
      m: 2026
      n: "2026-01-31 01:02:03"
      o: 18446744073709551615
      p: null
  copied:
    create: CREATE TABLE copied (COLUMNS)
transactions:
  copy:
    statements:
      - sql: SELECT * FROM source
        take: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10, k: 11, l: 12, m: 13, n: 14, o: 15, p: 16}
      - sql: INSERT INTO copied VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        params: [{from: a}, {from: b}, {from: c}, {from: d}, {from: e}, {from: f}, {from: g}, {from: h}, {from: i}, {from: j}, {from: k}, {from: l}, {from: m}, {from: n}, {from: o}, {from: p}]
      - {sql: "SELECT a FROM source WHERE a = ? AND c = ?", params: [{from: a, plus: 0}, {from: c, plus: 0}], take: {x: 1}}
`

const everyColumn = "a TINYINT, b SMALLINT UNSIGNED, c INT UNSIGNED, d BIGINT, e DECIMAL(20,5), f DOUBLE, g FLOAT, h VARCHAR(20) CHARACTER SET utf8mb4, " +
	"i VARBINARY(20), j DATETIME(6), k DATE, l TIME(3), m YEAR, n TIMESTAMP NULL, o BIGINT UNSIGNED, p INT"

// valuesArriveAsTheyAre: a value of every type that is taken from an answer and sent in
// another statement is the same value, prepared and as text.
func valuesArriveAsTheyAre(t *testing.T, b *bench) {
	for i, text := range []bool{false, true} {
		j := b.fileJob(t, "every.yaml", []byte(strings.ReplaceAll(everyType, "COLUMNS", everyColumn)), connections(1, text))
		if j.Events = 1; !text {
			fillFile(t, j)
		}
		if w := run(t, j).Window; w.ErrorCount() != 0 || w.Transactions != 1 {
			t.Fatalf("text %v: errors %v", text, w.Errors)
		}
		s := b.inSchema(t)
		for _, column := range strings.Split("a b c d e f g h i j k l m n o p", " ") {
			sql := fmt.Sprintf("SELECT COUNT(*), MAX(copied.%[1]s), MAX(source.%[1]s) FROM copied JOIN source ON copied.%[1]s <=> source.%[1]s", column)
			rows, err := s.Query(t.Context(), sql)
			if err != nil {
				t.Fatal(err)
			}
			if rows[0][0] != fmt.Sprint(i+1) {
				t.Errorf("text %v, column %s: %v", text, column, rows)
			}
		}
	}
}

const thinking = `
apiVersion: tarebench.io/v1alpha1
kind: Workload
metadata: {name: thinking}
transactions:
  think:
    think: 20ms
    statements: [{sql: DO 1, think: 5ms}, {sql: DO 2}]
`

// thinkTimes: a transaction takes as long as the thinking between its statements, the time
// after it is not part of it, and its connection does nothing meanwhile. With a rate the
// arrivals say when transactions begin.
func thinkTimes(t *testing.T, b *bench) {
	mysqldtest.Attempts(t, 5, func() error { return oneThinking(t, b) })
}

// oneThinking returns an error if the machine let no transaction end in a second.
func oneThinking(t *testing.T, b *bench) error {
	t.Helper()
	j := b.fileJob(t, "think.yaml", []byte(thinking), connections(2, false))
	j.Time = time.Second
	w := run(t, j).Window
	if w.Transactions == 0 {
		return errors.New("no transaction in a second")
	}
	if least := w.Latency.Percentile(0); least < int64(4900*time.Microsecond) {
		t.Errorf("%d transactions, the fastest took %d ns", w.Transactions, least)
	}
	if most := int64(2 * (1000/25 + 1)); w.Transactions > most {
		t.Errorf("%d transactions of two connections; %d are possible", w.Transactions, most)
	}
	j.Arrivals = new(pace.Constant(pace.Schedule{{Length: time.Second, From: 20, To: 20}}))
	if w := run(t, j).Window; w.Due != 20 && w.Due != 19 {
		t.Errorf("%d transactions fell due", w.Due)
	}
	return nil
}

// limited: no more transactions are begun than the limit allows, also by several loops, and
// none is made up for.
func limited(t *testing.T, b *bench) {
	j := b.fileJob(t, "think.yaml", []byte(atOnce), connections(8, false))
	j.Time, j.Loops, j.Limit = 2*time.Second, 2, 100
	mysqldtest.Attempts(t, 5, func() error {
		n := run(t, j).Window.Transactions
		if n > 2*100 {
			t.Errorf("%d transactions in two seconds of at most 100", n)
		}
		if n < 1 {
			return errors.New("no transaction in two seconds")
		}
		return nil
	})
}

const atOnce = `
apiVersion: tarebench.io/v1alpha1
kind: Workload
metadata: {name: at-once}
transactions:
  one: {statements: [{sql: DO 1}]}
`

// fileHotPathDoesNotAllocate is hotPathDoesNotAllocate for a file.
func fileHotPathDoesNotAllocate(t *testing.T, b *bench) {
	source := exampleFile(t, "shop.yaml")
	for _, text := range []bool{false, true} {
		make := func() *loop.Job {
			j := b.fileJob(t, "shop.yaml", source, connections(4, text))
			for i := range j.Program.Choices {
				j.Program.Choices[i].Think = 100 * time.Microsecond // timers do not allocate either
			}
			return j
		}
		if !text {
			fillFile(t, make())
		}
		if extra, n := mallocs(t, make, 2000); extra > max(100, n/100) {
			t.Errorf("text %v: %d allocations more for %d statements more", text, extra, n)
		}
	}
}

const refused = `
apiVersion: tarebench.io/v1alpha1
kind: Workload
metadata: {name: refused}
tables:
  item: {rows: 10, create: "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(5))", columns: {id: {sequence: {}}, name: {text: {length: 6}}}}
  loose: {rows: 10, create: "CREATE TABLE loose (name VARCHAR(5))", columns: {name: {text: {length: 3}}}}
transactions:
  a: {statements: [{sql: SELECT id FROM itm}, {sql: SELECT id FORM item}, {sql: SELECT id FROM item}]}
  b: {statements: [{sql: "SELECT ?", params: [{query: SELECT id FROM item WHERE id < 0}]}]}
`

// mistakesThatTheServerSees: each is named, and nothing that tare has not made is touched.
func mistakesThatTheServerSees(t *testing.T, b *bench) {
	j := b.fileJob(t, "refused.yaml", []byte(refused), connections(1, false))
	fillJob := fill.Job{Tables: j.Program.Tables(1), Dial: j.Dial, Verify: true}
	wants := func(err error, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v; want %q", err, part)
			}
		}
	}
	wants(fill.Run(t.Context(), fillJob), "prepare item", "Data too long for column 'name'")
	if err := fill.Drop(t.Context(), j.Dial, fillJob.Tables); err != nil {
		t.Error(err)
	}
	b.exec(t, "CREATE TABLE sbtest.item (id INT PRIMARY KEY, name VARCHAR(50))")
	wants(fill.Run(t.Context(), fillJob), "item", "was not made by tare")
	wants(fill.Drop(t.Context(), j.Dial, fillJob.Tables), "item", "was not made by tare")
	b.exec(t, "INSERT INTO sbtest.item VALUES (1, 'mine')")

	fillJob.Tables = fillJob.Tables[1:]
	if err := fill.Run(t.Context(), fillJob); err != nil {
		t.Error(err)
	}
	b.exec(t, "DELETE FROM sbtest.loose LIMIT 1")
	wants(fill.Run(t.Context(), fillJob), "the table has 9 of 10 rows")

	w, err := file.Parse("refused.yaml", []byte(refused))
	if err != nil {
		t.Fatal(err)
	}
	wants(loadgen.CheckStatements(t.Context(), j.Dial, w), "refused.yaml:9:26: transactions.a.statements[0].sql: the server refuses the statement: error 1146",
		"refused.yaml:9:53: transactions.a.statements[1].sql: the server refuses the statement: error 1064")
	if w, err = file.Parse("refused.yaml", []byte(strings.Replace(refused, "transactions:", "transactions:\n  again: {statements: [{sql: DELETE FROM absent}, {sql: SELECT 1 FROM absent}]}", 1))); err != nil {
		t.Fatal(err)
	}
	if err := loadgen.CheckStatements(t.Context(), j.Dial, w); err == nil || strings.Count(err.Error(), "'sbtest.absent' doesn't exist") != 1 {
		t.Errorf("a table that is missing is said other than once: %v", err)
	}
	wants(loadgen.Bind(t.Context(), j.Dial, j.Program), "SELECT id FROM item WHERE id < 0", "returned no rows")
}
