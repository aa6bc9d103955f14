package capture_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
	"github.com/tarebench/tare/internal/workload/file"
)

// canary is in the statements of the application, and must be in nothing that is written.
const canary = "canary4711"

// TestCapture: what an application asks of a real server is described as it is.
func TestCapture(t *testing.T) {
	s := mysqldtest.Start(t, mysqldtest.Flavour(t, mysqld.MySQL), map[string]string{"performance_schema_consumer_events_statements_history_long": "ON"})
	t.Run("oltp_read_write", func(t *testing.T) { capturesSysbench(t, s) })
	t.Run("shop", func(t *testing.T) { capturesShop(t, s) })
	t.Run("logs", func(t *testing.T) { capturesLogs(t, s) })
	t.Run("without history", func(t *testing.T) { composes(t, s) })
}

func open(t *testing.T, a mysqld.Address) *sql.DB {
	t.Helper()
	db, err := mysqld.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, q := range statements {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// watching watches the server while app runs.
func watching(t *testing.T, s *mysqldtest.Server, schema string, app func()) (seen *capture.Seen, err error) {
	t.Helper()
	db := open(t, s.Address)
	db.SetMaxOpenConns(1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan struct{})
	monitor := open(t, s.Address)
	before := readings(t, monitor)
	go func() {
		defer close(done)
		seen, err = capture.Watch(ctx, capture.Server{DB: db, Schema: schema}, time.Hour)
	}()
	for readings(t, monitor) == before { // the counts of the beginning have been read, and then the span begins
		select {
		case <-done:
			t.Fatalf("the watching has ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	app()
	stop()
	<-done
	return seen, err
}

// captured watches while app runs, and describes what was seen.
func captured(t *testing.T, s *mysqldtest.Server, schema string, o capture.Options, app func()) (*capture.Described, *capture.Seen) {
	t.Helper()
	seen, err := watching(t, s, schema, app)
	if err != nil {
		t.Fatal(err)
	}
	d, err := capture.Describe(t.Context(), seen, capture.Dictionary{DB: open(t, s.Address)}, o)
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.File.Marshal())
	if strings.Contains(text, canary) {
		t.Errorf("the file has a literal of the application:\n%s", text)
	}
	return d, seen
}

// readings is how often the counts have been read: how often the last query of that was, which MariaDB is asked for
// prepared statements.
func readings(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT COALESCE(SUM(COUNT_STAR), 0) FROM performance_schema.events_statements_summary_by_digest" +
		" WHERE DIGEST_TEXT LIKE IF(VERSION() LIKE '%MariaDB%', '%FROM `performance_schema` . `events_statements_summary_global_by_event_name`%'," +
		" '%SUM_ROWS_AFFECTED%FROM `performance_schema` . `events_statements_summary_by_digest`%')").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// filled makes a schema with the tables of a built-in workload.
func filled(t *testing.T, s *mysqldtest.Server, schema, name string, o workload.Options) (*workload.Program, *wire.Dialer) {
	t.Helper()
	execute(t, open(t, s.Address), "CREATE DATABASE "+schema)
	a := s.Address
	a.Schema = schema
	dial, err := wire.NewDialer(a)
	if err != nil {
		t.Fatal(err)
	}
	dial.LocalFiles = true
	p, err := workload.Build(name, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill.Run(t.Context(), fill.Job{Tables: p.Tables(1), Dial: dial.Dial, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	return p, dial
}

// capturesSysbench: the built-in engine's oltp_read_write is one kind of transaction with
// the statements in sysbench's numbers.
func capturesSysbench(t *testing.T, s *mysqldtest.Server) {
	o := workload.Defaults()
	o.Tables, o.TableSize, o.Threads = 2, 2000, 2
	p, dial := filled(t, s, "sbtest", "oltp_read_write", o)
	execute(t, open(t, s.Address), "ANALYZE TABLE sbtest.sbtest1, sbtest.sbtest2")
	d, seen := captured(t, s, "", capture.Options{Name: "sysbench"}, func() {
		_, err := loop.Run(t.Context(), &loop.Job{Program: p, Dial: dial.Dial, Connections: 2, Seed: 1, Events: 400, Drain: time.Minute, DialAtOnce: 2,
			Faults: loop.Policy{Ignore: map[uint16]bool{1213: true}, FirstPause: time.Millisecond, LongestPause: time.Second}}, func(loop.Interval) {})
		if err != nil {
			t.Error(err)
		}
	})
	if len(d.Kinds) != 1 || seen.Schema != "sbtest" {
		t.Fatalf("%d kinds in schema %s: %v", len(d.Kinds), seen.Schema, d.Kinds)
	}
	if d.CoveredCount < 0.99 || !(d.Kinds[0].Mean > 0) || !(d.Kinds[0].P95 >= d.Kinds[0].Mean/10) {
		t.Errorf("coverage %.3f, %v", d.CoveredCount, d.Kinds[0])
	}
	// 18 statements between BEGIN and COMMIT.
	want := map[string]float64{"SELECT `c` FROM ? WHERE `id` = ?": 10, "SELECT SUM(`k`)": 1, "ORDER BY": 1, "DISTINCT": 1, "UPDATE ? SET `k`": 1, "UPDATE ? SET `c`": 1, "DELETE": 1, "INSERT": 1}
	for part, n := range want {
		if got := 100 * share(d.File, part); math.Abs(got-100*n/18) > 2 && part != "ORDER BY" {
			t.Errorf("%s is %.1f %% of the statements, want %.1f", part, got, 100*n/18)
		}
	}
	for table := range 2 {
		if got := share(d.File, fmt.Sprintf("`sbtest%d`", table+1)); math.Abs(got-0.5) > 0.05 {
			t.Errorf("%.2f of the statements are on table %d", got, table+1)
		}
	}
	for _, tr := range d.File.Transactions {
		for _, st := range tr.Statements {
			if last := st.Params[len(st.Params)-1]; strings.Contains(st.SQL, "BETWEEN") && math.Abs(float64(last.From.Plus.Value)-99) > 8 {
				t.Errorf("%s reads %d rows, want 100", st.SQL, last.From.Plus.Value+1)
			}
		}
	}
	for _, tr := range d.File.Transactions { // else the rows become fewer from transaction to transaction
		table := func(verb string) string {
			for _, st := range tr.Statements {
				if strings.HasPrefix(st.SQL, verb) {
					return strings.Split(st.SQL, "`")[1]
				}
			}
			return ""
		}
		if table("DELETE") == "" || table("DELETE") != table("INSERT") {
			t.Errorf("%s deletes from %q and inserts into %q", tr.Name, table("DELETE"), table("INSERT"))
		}
	}
	if text := string(d.File.Marshal()); !strings.Contains(text, "uniform: {from: 1, to: 2000}") || seen.Connections != 2 {
		t.Errorf("%d connections, want 2; and 2000 rows are not in\n%s", seen.Connections, text)
	}
	replays(t, dial, d.File)
}

// replays sends a captured workload to the server that it is from: the server accepts every
// statement, and with one connection, which nobody disturbs, none fails.
func replays(t *testing.T, dial *wire.Dialer, captured *file.Workload) {
	t.Helper()
	w, err := file.Parse("captured.yaml", captured.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	if err := loadgen.CheckStatements(t.Context(), dial.Dial, w); err != nil {
		t.Fatal(err)
	}
	p, err := workload.FromFile(w, workload.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if err := loadgen.Bind(t.Context(), dial.Dial, p); err != nil {
		t.Fatal(err)
	}
	r, err := loop.Run(t.Context(), &loop.Job{Program: p, Dial: dial.Dial, Connections: 1, Seed: 1, Events: 200, Drain: time.Minute, DialAtOnce: 1,
		Faults: loop.Policy{FirstPause: time.Millisecond, LongestPause: time.Millisecond}}, func(loop.Interval) {})
	if err != nil {
		t.Fatal(err)
	}
	if r.Window.Transactions != 200 || r.Window.ErrorCount() > 0 {
		t.Errorf("%d transactions, errors %v", r.Window.Transactions, r.Window.Errors)
	}
}

// share is the share of a file's statements whose text has a part; "?" in it is any table.
func share(w *file.Workload, part string) float64 {
	found, all := 0.0, 0.0
	before, after, _ := strings.Cut(part, "?")
	for _, tr := range w.Transactions {
		weight := percent(tr)
		for _, s := range tr.Statements {
			all += weight
			if i := strings.Index(s.SQL, before); i >= 0 && strings.Contains(s.SQL[i+len(before):], after) {
				found += weight
			}
		}
	}
	return found / all
}

// executor runs a statement.
type executor interface {
	Exec(query string, args ...any) (sql.Result, error)
}

// shopKinds are the transactions of a small application, 100 of each weight: five kinds, of
// which some take two courses.
func shopKinds() []struct {
	name   string
	weight int
	do     func(tx executor, n int) error
} {
	all := func(tx executor, statements ...string) error {
		for _, q := range statements {
			if _, err := tx.Exec(q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		return nil
	}
	type row = struct {
		name   string
		weight int
		do     func(tx executor, n int) error
	}
	return []row{
		{"update_district", 45, func(tx executor, n int) error {
			lines := []string{fmt.Sprintf("SELECT tax FROM district WHERE id = %d FOR UPDATE", n%10+1), fmt.Sprintf("UPDATE district SET next = next + 1 WHERE id = %d", n%10+1),
				fmt.Sprintf("INSERT INTO orders (id, district, made, note) VALUES (%d, %d, NOW(), '%s')", 1000+n, n%10+1, canary)}
			for line := range 2 + n%3 {
				lines = append(lines, fmt.Sprintf("INSERT INTO line (o, n, item) VALUES (%d, %d, %d)", 1000+n, line, n%100))
			}
			return all(tx, lines...)
		}},
		{"update_customer", 43, func(tx executor, n int) error {
			if n%5 < 3 { // by name
				if err := all(tx, fmt.Sprintf("SELECT id FROM customer WHERE name = '%s%d'", canary, n%50)); err != nil {
					return err
				}
			}
			return all(tx, fmt.Sprintf("UPDATE customer SET balance = balance - 1.5 WHERE id = %d", n%50+1), fmt.Sprintf("INSERT INTO history (c, note) VALUES (%d, '%s')", n%50+1, canary))
		}},
		{"select_customer", 4, func(tx executor, n int) error {
			return all(tx, fmt.Sprintf("SELECT balance FROM customer WHERE id IN (%d, %d, %d)", n%50+1, n%40+2, n%30+3), fmt.Sprintf("SELECT id FROM orders WHERE district = %d ORDER BY id DESC LIMIT 1", n%10+1))
		}},
		{"delete_line", 4, func(tx executor, n int) error {
			return all(tx, fmt.Sprintf("DELETE FROM line WHERE o = %d AND n = 0", 1000+n), fmt.Sprintf("UPDATE orders SET note = '%s' WHERE id = %d", canary, 1000+n))
		}},
		{"select_line", 4, func(tx executor, n int) error {
			return all(tx, fmt.Sprintf("SELECT COUNT(DISTINCT item) FROM line WHERE o BETWEEN %d AND %d", 1000, 1000+n))
		}},
	}
}

// shop runs so many hundreds of transactions of the application.
func shop(t *testing.T, db *sql.DB, hundreds int) {
	t.Helper()
	shopBy(t, db, hundreds, func(tx *sql.Tx) executor { return tx })
}

// shopBy runs them with the statements sent in another way.
func shopBy(t *testing.T, db *sql.DB, hundreds int, by func(tx *sql.Tx) executor) {
	t.Helper()
	var wg sync.WaitGroup
	defer wg.Wait()
	n := 0
	for range hundreds {
		for _, k := range shopKinds() {
			for range k.weight {
				n++
				tx, err := db.Begin()
				if err == nil {
					err = k.do(by(tx), n)
				}
				if err == nil {
					err = tx.Commit()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func shopSchema(t *testing.T, s *mysqldtest.Server, schema string) *sql.DB {
	t.Helper()
	execute(t, open(t, s.Address), "CREATE DATABASE "+schema)
	a := s.Address
	a.Schema = schema
	db := open(t, a)
	execute(t, db, "CREATE TABLE district (id INT PRIMARY KEY, tax DECIMAL(4,2), next INT)", "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40), balance DECIMAL(10,2), KEY (name))",
		"CREATE TABLE orders (id INT PRIMARY KEY, district INT, made DATETIME, note VARCHAR(40), KEY (district))", "CREATE TABLE line (o INT, n INT, item INT, PRIMARY KEY (o, n))",
		"CREATE TABLE history (id INT AUTO_INCREMENT PRIMARY KEY, c INT, note VARCHAR(40))",
		"INSERT INTO district WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n+1 FROM r WHERE n < 10) SELECT n, 0.1, 1 FROM r",
		"INSERT INTO customer WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n+1 FROM r WHERE n < 50) SELECT n, CONCAT('"+canary+"', n), 10 FROM r",
		"ANALYZE TABLE district, customer")
	return db
}

// hasShopKinds: every kind of the shop's transactions has its share, within 1 point.
func hasShopKinds(t *testing.T, d *capture.Described) {
	t.Helper()
	for _, want := range shopKinds() {
		found := false
		for _, k := range d.Kinds {
			found = found || k.Name == want.name && math.Abs(100*k.Share-float64(want.weight)) <= 1
		}
		if !found {
			t.Errorf("%s is not %d %% of %v", want.name, want.weight, d.Kinds)
		}
	}
}

// capturesShop: five kinds of transactions with courses of several lengths are recovered
// with their shares, and no literal of theirs is written.
func capturesShop(t *testing.T, s *mysqldtest.Server) {
	db := shopSchema(t, s, "shop")
	d, seen := captured(t, s, "shop", capture.Options{Name: "shop"}, func() { shop(t, db, 4) })
	if len(d.Kinds) != len(shopKinds()) {
		t.Fatalf("%d kinds: %v", len(d.Kinds), d.Kinds)
	}
	hasShopKinds(t, d)
	if d.CoveredCount < 0.99 || d.CoveredTime < 0.9 || seen.Elsewhere.Count > 20 || !(seen.Took > 0) {
		t.Errorf("coverage %.3f and %.3f, elsewhere %.0f, took %f", d.CoveredCount, d.CoveredTime, seen.Elsewhere.Count, seen.Took)
	}
	if got, want := share(d.File, "FROM `customer` WHERE `name`"), 0.43*0.6/4.018; math.Abs(got-want) > 0.02 {
		t.Errorf("customers by name are %.3f of the statements, want %.3f", got, want)
	}
	text := string(d.File.Marshal())
	for _, want := range []string{"own: true", "NOW()", "IN (?, ?, ?)", "{query: \"SELECT `name` FROM `customer`", "uniform: {from: 1, to: 50}"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %s in\n%s", want, text)
		}
	}
	a := s.Address
	a.Schema = "shop"
	dial, err := wire.NewDialer(a)
	if err != nil {
		t.Fatal(err)
	}
	replays(t, dial, d.File)
}

// composes: with the history off, the mix is that of the counts, and the file says what was
// not seen; names are hashed.
func composes(t *testing.T, s *mysqldtest.Server) {
	admin := open(t, s.Address)
	execute(t, admin, "UPDATE performance_schema.setup_consumers SET ENABLED = 'NO' WHERE NAME = 'events_statements_current'") // which the histories depend on
	db := shopSchema(t, s, "shop2")
	d, seen := captured(t, s, "shop2", capture.Options{Name: "shop", HashNames: true}, func() { shop(t, db, 1) })
	text := string(d.File.Marshal())
	if len(seen.Notes) != 1 || !strings.Contains(text, "The statement history is off") || !strings.Contains(text, "estimated from counts") {
		t.Errorf("what was not seen is not said:\n%s", text)
	}
	for _, name := range []string{"customer", "district", "balance", "shop2"} {
		if strings.Contains(text, name) {
			t.Errorf("the name %s is in\n%s", name, text)
		}
	}
	if got, want := share(d.File, "FOR UPDATE"), 0.45/4.018; math.Abs(got-want) > 0.02 {
		t.Errorf("SELECT FOR UPDATE is %.3f of the statements, want %.3f", got, want)
	}
}

func percent(t file.Transaction) float64 {
	return float64(t.Weight.Value) / math.Pow10(t.Weight.Decimals)
}
