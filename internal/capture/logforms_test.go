package capture

// This file tests that one workload, written in every form that a log is found in, comes to the same figures, or to
// the word that a form does not have them.

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"
)

// sold is a statement of the simulated shop.
type sold struct {
	at     time.Time // its end
	took   time.Duration
	thread int
	text   string
	rows   int
}

// shopLog are the statements of 60 transactions, one a second: two of three read an item with autocommit, the third
// buys one. Reads last 1 to 5 ms, 3 ms in the mean; buying lasts 44 ms, 20 ms of it in statements.
func shopLog() (all []sold) {
	start := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	reads := 0
	for n := range 60 {
		at := start.Add(time.Duration(n) * time.Second)
		if n%3 < 2 {
			took := time.Duration(1+reads%5) * time.Millisecond
			reads++
			all = append(all, sold{at.Add(took), took, 11 + n%3, fmt.Sprintf("SELECT price, stock FROM item WHERE id = %d", 100+n), 1})
			continue
		}
		for i, text := range []string{"BEGIN", fmt.Sprintf("SELECT price FROM item WHERE id = %d FOR UPDATE", n), fmt.Sprintf("UPDATE item SET stock = stock - 1 WHERE id = %d", n),
			fmt.Sprintf("INSERT INTO orders (item, note) VALUES (%d, 'it''s\nnew')", n), "COMMIT"} {
			all = append(all, sold{at.Add(4*time.Millisecond + time.Duration(i)*10*time.Millisecond), 4 * time.Millisecond, 13, text, 0})
		}
	}
	return all
}

const banner = "/usr/sbin/mysqld, Version: 8.0.36-28 (Percona Server (GPL)). started with:\nTcp port: 3306  Unix socket: /var/lib/mysql/mysql.sock\nTime                 Id Command    Argument\n"

// forms write the shop as the servers and tools do.
func mysqlSlow(extra func(n int) string) string {
	var b strings.Builder
	b.WriteString(banner)
	for n, s := range shopLog() {
		fmt.Fprintf(&b, "# Time: %s\n# User@Host: app[app] @ web-1 [10.0.0.7]  Id: %5d\n# Query_time: %.6f  Lock_time: 0.000002 Rows_sent: %d  Rows_examined: 1\n", s.at.Format("2006-01-02T15:04:05.000000Z"), s.thread, s.took.Seconds(), s.rows)
		b.WriteString(extra(n))
		if n == 0 {
			b.WriteString("use shop;\n")
		}
		fmt.Fprintf(&b, "SET timestamp=%d;\n%s;\n", s.at.Add(-s.took).Unix(), s.text)
	}
	return b.String()
}

func plainSlow() string { return mysqlSlow(func(int) string { return "" }) }

// mariadbSlow has whole seconds, and log_slow_verbosity=query_plan,explain.
func mariadbSlow() string {
	var b strings.Builder
	b.WriteString("/usr/sbin/mariadbd, Version: 10.11.6-MariaDB-log (MariaDB Server). started with:\nTcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\nTime\t\t    Id Command\tArgument\n")
	last := ""
	for n, s := range shopLog() {
		if stamp := s.at.Format("060102 15:04:05"); stamp != last {
			fmt.Fprintf(&b, "# Time: %s\n", stamp)
			last = stamp
		}
		fmt.Fprintf(&b, "# User@Host: app[app] @ web-1 [10.0.0.7]\n# Thread_id: %d  Schema: shop  QC_hit: No\n# Query_time: %.6f  Lock_time: 0.000011  Rows_sent: %d  Rows_examined: 1\n# Rows_affected: 0  Bytes_sent: 57\n", s.thread, s.took.Seconds(), s.rows)
		if strings.HasPrefix(s.text, "SELECT") {
			b.WriteString("# Full_scan: No  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No\n#\n# explain: id\tselect_type\ttable\ttype\n# explain: 1\tSIMPLE\titem\tconst\n#\n")
		}
		if n == 0 {
			b.WriteString("use shop;\n")
		}
		fmt.Fprintf(&b, "SET timestamp=%d;\n%s;\n", s.at.Unix(), s.text)
	}
	return b.String()
}

func digestSlow() string { // pt-query-digest --output slowlog
	var b strings.Builder
	for _, s := range shopLog() {
		fmt.Fprintf(&b, "# Time: %s\n# User@Host: app[app] @ web-1 []\n# Thread_id: %d\n# Query_time: %.6f  Lock_time: 0.000002  Rows_sent: %d  Rows_examined: 1\nuse shop;\n%s;\n", s.at.Format("2006-01-02T15:04:05.000000Z"), s.thread, s.took.Seconds(), s.rows, s.text)
	}
	return b.String()
}

// without takes lines out.
func without(text, expression string) string {
	return regexp.MustCompile("(?m)^"+expression+".*\n").ReplaceAllString(text, "")
}

func mysqlGeneral() string {
	var b strings.Builder
	b.WriteString(banner)
	for _, thread := range []int{11, 12, 13} {
		fmt.Fprintf(&b, "2026-03-04T10:00:00.000000Z\t%5d Connect\tapp@web-1 on shop using TCP/IP\n", thread)
	}
	for _, s := range shopLog() {
		fmt.Fprintf(&b, "%s\t%5d Query\t%s\n", s.at.Add(-s.took).Format("2006-01-02T15:04:05.000000Z"), s.thread, s.text)
	}
	return b.String()
}

var batchEscape = strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\t", "\\t")

func generalTSV() string {
	var b strings.Builder
	b.WriteString("event_time\tuser_host\tthread_id\tserver_id\tcommand_type\targument\n")
	for _, s := range shopLog() {
		fmt.Fprintf(&b, "%s\tapp[app] @ web-1 [10.0.0.7]\t%d\t1\tQuery\t%s\n", s.at.Add(-s.took).Format("2006-01-02 15:04:05.000000"), s.thread, batchEscape.Replace(s.text))
	}
	return b.String()
}

// slowRows are those of mysql.slow_log, with a function for each field.
func slowRows(separator string, text func(string) string) string {
	var b strings.Builder
	for _, s := range shopLog() {
		took := time.Time{}.Add(s.took).Format("15:04:05.000000")
		for i, f := range []string{s.at.Format("2006-01-02 15:04:05.000000"), "app[app] @ web-1 [10.0.0.7]", took, "00:00:00.000002", fmt.Sprint(s.rows), "1", "shop", "0", "0", "1", s.text, fmt.Sprint(s.thread)} {
			if i > 0 {
				b.WriteString(separator)
			}
			b.WriteString(text(f))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func slowTSV() string {
	return strings.Join(slowColumns[:12], "\t") + "\n" + slowRows("\t", batchEscape.Replace)
}

func slowCSV() string {
	return strings.Join(slowColumns[:12], ",") + "\n" + slowRows(",", func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` })
}

// engineCSV is the file of the table itself.
func engineCSV() string {
	return slowRows(",", func(s string) string { return `"` + batchEscape.Replace(s) + `"` })
}

func audit() string {
	var b strings.Builder
	for _, s := range shopLog() {
		text := strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(s.text)
		fmt.Fprintf(&b, "%s,db-1,app,10.0.0.7,%d,77,QUERY,shop,'%s',0\n%[1]s,db-1,app,10.0.0.7,%[2]d,77,READ,shop,item,\n", s.at.Format("20060102 15:04:05"), s.thread, text)
	}
	return b.String()
}

// prefixed writes something before each line.
func prefixed(text string, prefix func(n int) string) string {
	var b strings.Builder
	for n, line := range strings.SplitAfter(text, "\n") {
		if line != "" {
			b.WriteString(prefix(n) + line)
		}
	}
	return b.String()
}

// cloudWatch writes the prefix before the first line of each event only.
func cloudWatch(text string) string {
	n := 0
	return regexp.MustCompile(`(?m)^# Time: `).ReplaceAllStringFunc(strings.TrimPrefix(text, banner), func(s string) string {
		n++
		return fmt.Sprintf("2026-03-04T10:%02d:%02d.%06d+00:00 db-1 %s", n/60, n%60, n, s)
	})
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func utf16(t *testing.T, text string) string {
	t.Helper()
	s, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// known figures of a form; what it lacks is NaN.
type figures struct {
	read, buy  float64 // mean latency, in milliseconds
	statements float64 // a second
	connected  int
	says       string
}

// TestFormsOfLogs: 60 transactions, 40 of them reads, 140 statements, in 59 seconds.
func TestFormsOfLogs(t *testing.T) {
	full := figures{3, 44, 140 / 59.0, 3, ""}
	nan := unknown()
	plain := plainSlow()
	seconds := figures{3, nan, 140 / 59.0, 3, "whole seconds"}
	begun := figures{nan, nan, 140 / 59.0, 3, "latencies and the pauses"}
	for name, c := range map[string]struct {
		text string
		want figures
	}{
		"MySQL":                   {plain, full},
		"MariaDB with EXPLAIN":    {mariadbSlow(), seconds},
		"pt-query-digest":         {digestSlow(), full},
		"gzip":                    {gzipped(t, plain), full},
		"UTF-16":                  {utf16(t, plain), full},
		"carriage returns":        {strings.ReplaceAll(plain, "\n", "\r\n"), full},
		"kubectl --timestamps":    {prefixed(plain, func(n int) string { return fmt.Sprintf("2026-03-04T10:01:00.%09dZ ", n) }), full},
		"kubectl --prefix":        {prefixed(plain, func(int) string { return "[pod/mysql-0/slow-log] " }), full},
		"stern":                   {prefixed(plain, func(int) string { return "mysql-0 slow-log " }), full},
		"docker compose":          {prefixed(plain, func(int) string { return "mysql-1  | " }), full},
		"CRI":                     {prefixed(plain, func(n int) string { return fmt.Sprintf("2026-03-04T10:01:00.%09dZ stdout F ", n) }), full},
		"aws logs tail":           {cloudWatch(plain), full},
		"Docker json-file":        {dockerJSON(plain), full},
		"error log between":       {errorsBetween(plain), full},
		"begins in a statement":   {"(1, 'a'),\n(2, 'b'),\n(3, 'c');\n" + strings.TrimPrefix(plain, banner), figures{3, 44, 140 / 59.0, 3, "The log begins within a statement: its first 3 lines are not read"}},
		"general":                 {mysqlGeneral(), begun},
		"general with blanks":     {strings.ReplaceAll(mysqlGeneral(), "\t", "    "), begun},
		"kubectl of general":      {prefixed(mysqlGeneral(), func(n int) string { return fmt.Sprintf("2026-03-04T10:01:00.%09dZ ", n) }), begun},
		"general table":           {generalTSV(), begun},
		"slow table":              {slowTSV(), full},
		"slow table as CSV":       {slowCSV(), full},
		"slow table's own file":   {engineCSV(), full},
		"server_audit":            {audit(), figures{nan, nan, 140 / 59.0, 3, "no times of statements"}},
		"Aurora's audit":          {auroraAudit(), figures{nan, nan, 140 / 59.0, 3, "no times of statements"}},
		"sessions are a sample":   {mysqlSlow(func(int) string { return "# Log_slow_rate_type: session  Log_slow_rate_limit: 10\n" }), figures{3, 44, 10 * 140 / 59.0, 30, "one of 10 sessions"}},
		"restarted in the middle": {restarted(plain), full},
		"Fluent Bit":              {inObjects(t, plain, "log"), full},
		"Loki":                    {inObjects(t, plain, "line"), full},
		"journalctl -o json":      {inObjects(t, plain, "MESSAGE"), full},
		"an object an entry":      {entriesInObjects(t, plain), full},
		"grep --color":            {strings.ReplaceAll(plain, "Query_time", "\x1b[01;31m\x1b[KQuery_time\x1b[m\x1b[K"), full},
		"grep -n":                 {prefixed(strings.TrimPrefix(plain, banner), func(n int) string { return fmt.Sprintf("slow.log:%d:", n+1) }), full},
		"slow table, semicolons":  {strings.ReplaceAll(strings.Join(slowColumns[:12], ";"), "sql_text", "CONVERT(sql_text USING utf8)") + "\n" + slowRows(";", func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }), full},
		"archive cut off":         {gzipped(t, plain)[:len(gzipped(t, plain))-8], figures{3, 44, 140 / 59.0, 3, "compressed file is cut off"}},
		"clock set back":          {setBack(plain), figures{3, 44, 140 / 58.0, 3, "The times go back once, by more than 5 s"}},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := ReadLog(strings.NewReader(c.text), "")
			if err != nil {
				t.Fatal(err)
			}
			d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			read, buy := kindCalled(d, "select_item"), kindCalled(d, "update_item")
			rate := c.want.statements / (140 / 59.0)
			if len(d.Kinds) != 2 || math.Abs(read.Share-2/3.0) > 0.001 || math.Abs(d.Transactions-rate*60/59) > rate*0.01 || math.Abs(d.Statements-c.want.statements) > rate*0.02 {
				t.Errorf("%v; %.3f transactions/s, %.3f statements/s", d.Kinds, d.Transactions, d.Statements)
			}
			if !same(read.Mean, c.want.read) || !same(buy.Mean, c.want.buy) || c.want.read > 0 && !same(buy.AtLeast, 20) {
				t.Errorf("mean latencies %v and %v ms, at least %v ms", read.Mean, buy.Mean, buy.AtLeast)
			}
			text := string(d.File.Marshal())
			if seen.Connections != c.want.connected || d.CoveredCount < 0.99 || !strings.Contains(text, c.want.says) {
				t.Errorf("%d connections, coverage %v, in\n%s", seen.Connections, d.CoveredCount, text)
			}
		})
	}
}

// inObjects has each line in a JSON object of a collector.
func inObjects(t *testing.T, text, field string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(text) {
		object, err := json.Marshal(map[string]string{"stream": "stdout", field: strings.TrimSuffix(line, "\n")})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(object, '\n'))
	}
	return b.String()
}

// entriesInObjects has each entry, of several lines, in one object.
func entriesInObjects(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for _, entry := range strings.Split(strings.TrimPrefix(text, banner), "# Time: ")[1:] {
		object, err := json.Marshal(map[string]string{"message": "# Time: " + entry})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(object, '\n'))
	}
	return b.String()
}

// setBack has the second half one hour earlier, as at the end of summer time.
func setBack(text string) string {
	return regexp.MustCompile(`# Time: 2026-03-04T10:00:[345]`).ReplaceAllStringFunc(text, func(s string) string { return strings.Replace(s, "T10", "T09", 1) })
}

// errorsBetween are lines of the error log between entries, in the forms of MySQL 8 and 5.6.
func errorsBetween(text string) string {
	n := 0
	return regexp.MustCompile(`;\n# Time`).ReplaceAllStringFunc(text, func(s string) string {
		if n++; n%7 == 3 {
			return ";\n2026-03-04T10:00:09.000000Z 42 [Warning] [MY-010914] [Server] Aborted connection 42 to db: 'shop' user: 'app'\n# Time"
		} else if n%7 == 5 {
			return ";\n2026-03-04 10:00:09 42 [Note] Aborted connection 42 (Got an error reading communication packets)\n# Time"
		}
		return s
	})
}

func dockerJSON(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(`{"log":"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(line) + `","stream":"stdout","time":"2026-03-04T10:01:00.000000001Z"}` + "\n")
	}
	return b.String()
}

func auroraAudit() string {
	return regexp.MustCompile(`(?m)^(\d{8} \d\d:\d\d:\d\d),`).ReplaceAllStringFunc(audit(), func(s string) string {
		at, err := time.Parse("20060102 15:04:05,", s)
		if err != nil {
			panic(err)
		}
		return fmt.Sprintf("%d,", at.UnixMicro())
	})
}

// restarted has a second banner between two transactions, as logrotate leaves it.
func restarted(text string) string {
	entries := strings.SplitAfter(text, ";\n# Time: ")
	half := len(entries) / 2
	for !strings.HasPrefix(entries[half], "2026") || !strings.HasSuffix(entries[half-1], "COMMIT;\n# Time: ") {
		half++
	}
	before := strings.TrimSuffix(strings.Join(entries[:half], ""), "# Time: ")
	return before + banner + "# Time: " + strings.Join(entries[half:], "")
}

// TestFormsWithoutTransactions: where a log does not show which statements belong together, each is for itself, with
// its own rate and latency, and the file says why.
func TestFormsWithoutTransactions(t *testing.T) {
	plain := plainSlow()
	short := without(without(without(plain, "# Time"), "# User@Host"), "use shop")
	for name, c := range map[string]struct {
		text      string
		weight    float64
		connected int
		says      []string
	}{
		"MySQL 5.5":            {regexp.MustCompile(`  Id: +\d+`).ReplaceAllString(plain, ""), 1, 0, []string{"does not say which connection", "COMMIT 20 times"}},
		"--log-short-format":   {strings.TrimPrefix(short, banner), 1, 0, []string{"does not say which connection", "whole seconds"}},
		"queries are a sample": {mysqlSlow(func(int) string { return "# Log_slow_rate_type: query  Log_slow_rate_limit: 100\n" }), 100, 3, []string{"one of 100 statements", "COMMIT 2000 times"}},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := ReadLog(strings.NewReader(c.text), "")
			if err != nil {
				t.Fatal(err)
			}
			d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			read := kindCalled(d, "select_item")
			if len(d.Kinds) != 3 || !d.Apart || math.Abs(read.Rate-c.weight*60/59) > 0.02*c.weight || !same(read.Mean, 10.0/3) || math.Abs(d.Statements-c.weight*140/59) > 0.05*c.weight || seen.Connections != c.connected {
				t.Errorf("%v, %.3f statements/s, %d connections", d.Kinds, d.Statements, seen.Connections)
			}
			text := string(d.File.Marshal())
			for _, want := range append(c.says, "transactions are not known") {
				if !strings.Contains(text, want) {
					t.Errorf("nothing of %q in\n%s", want, text)
				}
			}
			if strings.Contains(text, "transactions/s") {
				t.Errorf("a rate of transactions in\n%s", text)
			}
		})
	}
}

// TestRefusedLogs: what is no log is refused by name.
func TestRefusedLogs(t *testing.T) {
	two := "mysql-0 slow # Time: 2026-03-04T10:00:00.051000Z\nmysql-0 slow # User@Host: a[a] @ h []  Id: 1\nmysql-1 slow # Time: 2026-03-04T10:00:00.052000Z\n"
	newestFirst := strings.Split(strings.TrimSpace(generalTSV()), "\n")
	for i, j := 1, len(newestFirst)-1; i < j; i, j = i+1, j-1 {
		newestFirst[i], newestFirst[j] = newestFirst[j], newestFirst[i]
	}
	for text, want := range map[string]string{
		"": "empty",
		"# 160ms user time, 20ms system time, 26.10M rss, 85.19M vsz\n# Overall: 140 total, 5 unique, 2.37 QPS\n": "report of pt-query-digest",
		"\nReading mysql slow query log from slow.log\nCount: 3  Time=0.00s (0s)\n":                               "report of mysqldumpslow",
		"\xfebin\x01\x02":                      "binary log",
		"-- MySQL dump 10.13  Distrib 8.4.3\n": "dump of the data",
		"*************************** 1. row ***************************\nevent_time: 2026\n": `written with \G`,
		"+---+\n| event_time                 | user_host |\n":                                "drawn by mysql",
		"2026-03-04T10:00:09.000000Z 42 [Warning] [MY-010055] [Server] IP address\nhello\n":  "mysql.general_log",
		two:                                    "several places",
		strings.Join(newestFirst, "\n") + "\n": "not in the order of their times",
		"event_time\tuser_host\tthread_id\tserver_id\tcommand_type\targument\n1\t2\t3\t4\t5\t6\n": "no time in the column of the times",
		"\xfd7zXZ\x00\x00\x00": "xz",
		"{\n  \"events\": [\n    {\n      \"ingestionTime\": 1,\n":                                       "JSON of CloudWatch",
		"[\n{\"start_time\": \"2026-03-04 10:00:00\", \"sql_text\": \"SELECT 1\"}\n]\n":                  "table in JSON",
		"Mar  4 10:00:00 db mysql-server_auditing: db,app,h,1,1,QUERY,shop,'SELECT 1',0\n":               "in the syslog",
		"{\"audit_record\":{\"name\":\"Query\",\"sqltext\":\"SELECT 1\"}}\n":                             "audit log in XML or JSON",
		"[\n{ \"timestamp\": \"2026-03-04 10:00:00\", \"id\": 0, \"class\": \"general\" }\n]\n":          "audit log in XML or JSON",
		"[\n  {\n    \"timestamp\": \"2026-03-04 10:00:00\",\n    \"class\": \"general\",\n":             "audit log in XML or JSON",
		"[\n{\"name\": \"Query\", \"record_id\": \"1\", \"sqltext\": \"SELECT 1\"}\n]\n":                 "audit log in XML or JSON",
		"\"Query\",\"1_2026-03-04T10:00:00\",\"2026-03-04T10:00:00Z\",\"select\",\"7\",0,\"SELECT 1\"\n": "Percona Server's audit log in CSV",
		"{\"category\":\"MySqlSlowLogs\",\"properties\":{\"sql_text_s\":\"SELECT 1\"}}\n":                "Azure's diagnostics",
		"{\"digest\":\"0x1\",\"hostgroup_id\":1,\"query\":\"SELECT 1\"}\n":                               "ProxySQL's query log",
		"ProxySQL LOG QUERY: thread_id=\"7\" username=\"app\"\nSELECT 1\n":                               "ProxySQL's query log",
		"Date,User@Host,Query\n2026-03-04 10:00:00,app@h,SELECT 1\n":                                     "MaxScale's query log",
		"{\"Method\":\"Execute\",\"OriginalSQL\":\"SELECT 1\"}\n":                                        "query log of Vitess",
		"# Time: 2026-03-04T10:00:00.1Z\n# Txn_start_ts: 448\n# Conn_ID: 7\nSELECT 1;\n":                 "slow log of TiDB",
		"SCHEMA_NAME\tDIGEST\tDIGEST_TEXT\nshop\ta\tSELECT ?\n":                                          "table of performance_schema",
	} {
		_, err := ReadLog(strings.NewReader(text), "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	// A disk that fails is no end of the file.
	_, err := ReadLog(io.MultiReader(strings.NewReader(plainSlow()), failing{}), "")
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("failing disk: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// TestOneTime: a log whose statements have one time has kinds and latencies, and no rates.
func TestOneTime(t *testing.T) {
	text := regexp.MustCompile(`# Time: .*`).ReplaceAllString(plainSlow(), "# Time: 2026-03-04T10:00:00.000000Z")
	seen, err := ReadLog(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	file := string(d.File.Marshal())
	if k := kindCalled(d, "select_item"); !same(k.Mean, 3) || math.Abs(k.Share-2/3.0) > 0.001 || !strings.Contains(file, "Load: rates are not known") || strings.Contains(file, "/s") || strings.Contains(file, "NaN") {
		t.Errorf("%v\n%s", k, file)
	}
}

func FuzzForms(f *testing.F) {
	for _, text := range []string{plainSlow(), mariadbSlow(), mysqlGeneral(), generalTSV(), slowCSV(), engineCSV(), audit(), cloudWatch(plainSlow())} {
		f.Add(text[:min(len(text), 3000)])
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen, err := ReadLog(strings.NewReader(text), "")
		if err != nil {
			return
		}
		if d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"}); err == nil && (d.CoveredCount < 0 || d.CoveredCount > 1+1e-9) {
			t.Errorf("coverage %v", d.CoveredCount)
		}
	})
}
