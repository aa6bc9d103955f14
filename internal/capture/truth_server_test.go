package capture_test

// This file tests that the four sources agree: programs whose kinds, shares, numbers of transactions and rows are known
// run against real servers through connectors that people use, and performance_schema, the slow log, the general log
// and the packets are captured at the same time.

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// The programs run transactions of three kinds over two connections: 60 % read 5 rows, 30 % buy, 10 % restock.
const (
	truthLanes = 2
	truthEach  = 400 // transactions of a connection
	truthReads = 5   // rows
)

// truthGap is between the beginnings of two transactions of a connection, from TARE_TRUTH_GAP (make capture-truth):
// only then are rates and latencies compared, because a program that sends as fast as it can has a rate of the moment,
// and one with pauses takes eight seconds. 0 without it.
func truthGap(t *testing.T) time.Duration {
	text := os.Getenv("TARE_TRUTH_GAP")
	if text == "" {
		return 0
	}
	gap, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return gap
}

// ran is what a program's own clock says.
type ran struct {
	// Seconds are from the first transaction to the last.
	Seconds float64 `json:"seconds"`
	// Milliseconds is the mean latency of all transactions, seen by the program.
	Milliseconds float64 `json:"milliseconds"`
}

// truthKind is the kind of the n-th transaction.
func truthKind(n int) string {
	switch n % 10 {
	case 0, 1, 3, 4, 6, 8:
		return "read"
	case 9:
		return "restock"
	}
	return "buy"
}

var truthShares = map[string]float64{"select_item": 0.6, "update_item": 0.3, "update_stock": 0.1}

// truthStatements are those of a transaction between its beginning and its end.
func truthStatements(n int) (queries []string, args [][]any) {
	id := n%50 + 1
	switch truthKind(n) {
	case "read":
		return []string{"SELECT id, price FROM item WHERE id BETWEEN ? AND ?"}, [][]any{{id, id + truthReads - 1}}
	case "buy":
		return []string{"SELECT price FROM item WHERE id = ?", "UPDATE item SET sold = sold + ? WHERE id = ?", "INSERT INTO orders (item) VALUES (?)"}, [][]any{{id}, {1, id}, {id}}
	}
	return []string{"UPDATE stock SET n = n + ? WHERE id = ?"}, [][]any{{5, id}}
}

// program sends all transactions of the truth.
type program struct {
	name string
	// prepares says that statements are executed by the binary protocol.
	prepares bool
	run      func(t *testing.T, a mysqld.Address) ran
}

func programs() []program {
	return []program{
		{"Go, text", false, func(t *testing.T, a mysqld.Address) ran { return goProgram(t, a, true, beginning) }},
		{"Go, prepared", true, func(t *testing.T, a mysqld.Address) ran { return goProgram(t, a, false, beginning) }},
		{"JDBC-like pool, autocommit=0", false, func(t *testing.T, a mysqld.Address) ran { return goProgram(t, a, true, switching) }},
		{"PyMySQL", false, pythonProgram},
	}
}

// lane runs the transactions of one connection.
type style func(ctx context.Context, c *sql.Conn, n int, send func() error) error

// beginning is what Go programs do: BEGIN for transactions that write, autocommit for a single read.
func beginning(ctx context.Context, c *sql.Conn, n int, send func() error) error {
	if truthKind(n) == "read" {
		return send()
	}
	_, err1 := c.ExecContext(ctx, "START TRANSACTION")
	err2 := send()
	_, err3 := c.ExecContext(ctx, "COMMIT")
	return errors.Join(err1, err2, err3)
}

// switching is what Connector/J does for setAutoCommit(false), commit() and setAutoCommit(true).
func switching(ctx context.Context, c *sql.Conn, _ int, send func() error) error {
	_, err1 := c.ExecContext(ctx, "SET autocommit=0")
	err2 := send()
	_, err3 := c.ExecContext(ctx, "COMMIT")
	_, err4 := c.ExecContext(ctx, "SET autocommit=1")
	return errors.Join(err1, err2, err3, err4)
}

func goProgram(t *testing.T, a mysqld.Address, interpolate bool, in style) ran {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.DBName = "tcp", fmt.Sprintf("%s:%d", a.Host, a.Port), a.User, a.Password, a.Schema
	config.InterpolateParams, config.AllowNativePasswords = interpolate, true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	failed, spent := make([]error, truthLanes), make([]time.Duration, truthLanes)
	start, gap := time.Now(), truthGap(t)
	var lanes sync.WaitGroup
	for lane := range truthLanes {
		lanes.Go(func() { spent[lane], failed[lane] = goLane(t.Context(), db, start, gap, lane, in) })
	}
	lanes.Wait()
	seconds := time.Since(start).Seconds()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	total := time.Duration(0)
	for _, d := range spent {
		total += d
	}
	return ran{seconds, 1000 * total.Seconds() / (truthLanes * truthEach)}
}

func goLane(ctx context.Context, db *sql.DB, start time.Time, gap time.Duration, lane int, in style) (spent time.Duration, err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	for i := range truthEach {
		n := i*truthLanes + lane
		<-time.After(time.Until(start.Add(time.Duration(n) * gap / truthLanes)))
		begun := time.Now()
		err := in(ctx, c, n, func() error {
			queries, args := truthStatements(n)
			for j, q := range queries {
				rows, err := c.QueryContext(ctx, q, args[j]...)
				if err != nil {
					return fmt.Errorf("%s: %w", q, err)
				}
				for rows.Next() { // all of them are read
				}
				if err := errors.Join(rows.Err(), rows.Close()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		spent += time.Since(begun)
	}
	return spent, nil
}

// pythonProgram is the same by PyMySQL, which works with autocommit=0.
func pythonProgram(t *testing.T, a mysqld.Address) (truth ran) {
	python := os.Getenv("TARE_PYTHON")
	if python == "" {
		t.Skip("needs TARE_PYTHON; make test has it")
	}
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import pymysql").CombinedOutput(); err != nil {
		t.Skipf("needs PyMySQL; make setup-test installs it: %s", out)
	}
	c := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "truth.py"), a.Host, strconv.Itoa(a.Port), a.User, a.Password, a.Schema, strconv.Itoa(truthLanes), strconv.Itoa(truthEach), strconv.FormatFloat(truthGap(t).Seconds(), 'g', -1, 64))
	out, err := c.CombinedOutput()
	if err == nil {
		err = json.Unmarshal(out, &truth)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return truth
}

// TestFourWays: each source has the kinds, the shares within 2 points, the number of transactions and the rows within 5
// %, and a coverage of at least 98 % of what the programs sent; or it says what it cannot know.
func TestFourWays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: no packets")
	}
	if _, err := exec.LookPath("tcpdump"); err != nil {
		t.Skip("no tcpdump on this machine")
	}
	for _, flavour := range []string{mysqld.MySQL, mysqld.MariaDB} {
		d := mysqldtest.Flavour(t, flavour)
		s := mysqldtest.StartTCP(t, d, map[string]string{"performance_schema": "ON", "performance_schema_consumer_events_statements_current": "ON",
			"performance_schema_consumer_events_statements_history_long": "ON", "long_query_time": "0", "log_output": "FILE"})
		execute(t, open(t, s.Address), "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'x1'", "GRANT ALL ON *.* TO app@'127.0.0.1'")
		for n, p := range programs() {
			t.Run(flavour+", "+p.name, func(t *testing.T) { fourWays(t, s, flavour, p, n) })
		}
	}
}

func fourWays(t *testing.T, s *mysqldtest.Server, flavour string, p program, n int) {
	admin := open(t, s.Address)
	schema := fmt.Sprintf("truth%d", n)
	execute(t, admin, "CREATE DATABASE "+schema, "CREATE TABLE "+schema+".item (id INT PRIMARY KEY, price INT NOT NULL, sold INT NOT NULL)",
		"CREATE TABLE "+schema+".stock (id INT PRIMARY KEY, n INT NOT NULL)", "CREATE TABLE "+schema+".orders (id INT AUTO_INCREMENT PRIMARY KEY, item INT NOT NULL)")
	for id := range 60 {
		execute(t, admin, fmt.Sprintf("INSERT INTO %s.item VALUES (%d, 5, 0)", schema, id+1), fmt.Sprintf("INSERT INTO %s.stock VALUES (%d, 9)", schema, id+1))
	}
	logs := map[string]string{"slow log": filepath.Join(s.Options.DataDir, schema+"-slow.log"), "general log": filepath.Join(s.Options.DataDir, schema+"-general.log")}
	execute(t, admin, "SET GLOBAL slow_query_log_file = '"+logs["slow log"]+"'", "SET GLOBAL general_log_file = '"+logs["general log"]+"'", "SET GLOBAL slow_query_log = ON", "SET GLOBAL general_log = ON")
	a := mysqld.Address{Host: "127.0.0.1", Port: s.Options.Port, User: "app", Password: "x1", Schema: schema}
	var watched *capture.Seen
	var watchedErr error
	var truth ran
	var lasted float64 // with the start of the program, which is watched too
	path := tcpdump(t, a, func() {
		watched, watchedErr = watching(t, s, schema, func() {
			begun := time.Now()
			truth = p.run(t, a)
			lasted = time.Since(begun).Seconds()
		})
	})
	execute(t, admin, "SET GLOBAL slow_query_log = OFF", "SET GLOBAL general_log = OFF")
	t.Run("performance_schema", func(t *testing.T) {
		if flavour == mysqld.MariaDB && p.prepares {
			if !errors.Is(watchedErr, capture.ErrPrepared) && (watchedErr != nil || watched.Uncounted.Count == 0) {
				t.Errorf("prepared statements are not said to be missing: %v, %+v", watchedErr, watched)
			}
			return
		}
		if watchedErr != nil {
			t.Fatal(watchedErr)
		}
		agrees(t, s, watched, ran{lasted, truth.Milliseconds}, true)
	})
	for _, log := range []string{"slow log", "general log"} {
		t.Run(log, func(t *testing.T) {
			agrees(t, s, readingOf(t, logs[log], func(f io.Reader) (*capture.Seen, error) { return capture.ReadLog(f, schema) }), truth, log == "slow log")
		})
	}
	t.Run("packets", func(t *testing.T) {
		agrees(t, s, readingOf(t, path, func(f io.Reader) (*capture.Seen, error) { return capture.ReadPackets(f, uint16(a.Port), schema) }), truth, true)
	})
}

func readingOf(t *testing.T, path string, read func(io.Reader) (*capture.Seen, error)) *capture.Seen {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// agrees compares what was seen with the truth.
func agrees(t *testing.T, s *mysqldtest.Server, seen *capture.Seen, truth ran, rows bool) {
	t.Helper()
	d, err := capture.Describe(t.Context(), seen, capture.Dictionary{DB: open(t, s.Address)}, capture.Options{Name: "truth"})
	if err != nil {
		t.Fatal(err)
	}
	// MariaDB's digests have ID without quotes.
	if text := string(d.File.Marshal()); strings.Contains(text, "compared with no column") || strings.Contains(text, " ID ") {
		t.Errorf("id is not known for a column:\n%s", text)
	}
	const all = truthLanes * truthEach
	count, rate, mean := d.Transactions*seen.Seconds, d.Transactions/(all/truth.Seconds), 0.0
	for _, k := range d.Kinds {
		mean += k.Share * k.Mean
	}
	shares := map[string]float64{}
	for _, k := range d.Kinds {
		shares[k.Name] += k.Share
	}
	worst := 0.0
	for name, want := range truthShares {
		worst = math.Max(worst, math.Abs(100*(shares[name]-want)))
	}
	sent := 0.0
	for _, st := range seen.Statements {
		if strings.HasPrefix(strings.TrimSpace(st.Text), "SELECT") && strings.Contains(st.Text, "BETWEEN") {
			sent += st.RowsSent
		}
	}
	t.Logf("%d kinds, shares within %.2f points, %.1f %% of the rate, mean %.2f of %.2f ms, %.1f %% of the transactions, %.1f %% of the rows, coverage %.1f %%: %v", len(d.Kinds), worst, 100*rate, mean, truth.Milliseconds, 100*count/all, 100*sent/(0.6*all*truthReads), 100*d.CoveredCount, d.Kinds)
	if math.IsNaN(count) && d.Load() == "rates are not known" { // within one second of a log of whole seconds
		count, rate = all, 1
	}
	if len(d.Kinds) != len(truthShares) || worst > 2 || !(math.Abs(count/all-1) <= 0.05) {
		t.Errorf("%d kinds, shares %.1f points off, %.1f of %d transactions\n%s", len(d.Kinds), worst, count, all, d.File.Marshal())
	}
	if truthGap(t) > 0 {
		paced(t, d, truth, rate, mean)
	}
	// A log has what the test itself asks the server while the program runs, too: the longer it takes, the more.
	if d.CoveredCount < 0.9 {
		t.Errorf("coverage %.3f\n%s", d.CoveredCount, d.File.Marshal())
	}
	if rows && math.Abs(sent/(0.6*all*truthReads)-1) > 0.05 {
		t.Errorf("%v rows, want %v", sent, 0.6*all*truthReads)
	}
	if text := string(d.File.Marshal()); !rows && !strings.Contains(text, "no numbers of rows") {
		t.Errorf("it does not say that it has no rows:\n%s", text)
	}
}

// paced compares rate and mean latency with the program's own clock. rate is a share of the program's.
func paced(t *testing.T, d *capture.Described, truth ran, rate, mean float64) {
	t.Helper()
	within := 0.05
	if strings.Contains(string(d.File.Marshal()), "is known to 1 s either way") { // a log of whole seconds, which says so
		within = 1 / (truth.Seconds - 1)
	}
	if !(math.Abs(rate-1) <= within) {
		t.Errorf("%.1f transactions/s, want %.1f\n%s", d.Transactions, truthLanes*truthEach/truth.Seconds, d.File.Marshal())
	}
	// The program's clock contains what any source measures.
	if mean > 1.02*truth.Milliseconds {
		t.Errorf("a mean of %.3f ms, the program has %.3f", mean, truth.Milliseconds)
	}
}
