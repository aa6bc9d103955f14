package capture

import (
	"fmt"
	"hash/maphash"
	"math"
	"strings"
	"testing"
)

// TestSwitched: what a SET statement says of the session's autocommit.
func TestSwitched(t *testing.T) {
	for text, want := range map[string]struct {
		to autocommit
		ok bool
	}{
		"SET autocommit=0": {off, true}, "set autocommit = 1": {on, true}, "SET AUTOCOMMIT := OFF": {off, true}, "/* pool */ SET SESSION autocommit='ON'": {on, true},
		"SET @@session.autocommit = false": {off, true}, "SET @@autocommit = 0": {off, true}, "SET NAMES utf8mb4, autocommit=1": {on, true}, "SET `autocommit` = ?": {unsaid, true},
		"SET autocommit=1, sql_mode=concat(@@sql_mode,',STRICT_TRANS_TABLES')": {on, true}, "SET autocommit = @old": {unsaid, true},
		"SET GLOBAL autocommit=0": {unsaid, false}, "SET @@global.autocommit=0": {unsaid, false}, "SET PERSIST autocommit=0": {unsaid, false},
		"SET names utf8": {unsaid, false}, "SELECT @@autocommit": {unsaid, false}, "SET @autocommit_before=0": {unsaid, false},
	} {
		if to, ok := switched(text); to != want.to || ok != want.ok {
			t.Errorf("%s: %v, %v", text, to, ok)
		}
	}
}

// sessionsLog is a general log of statements with their connections.
func sessionsLog(lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		connection, text, _ := strings.Cut(l, " ")
		command := "Query"
		if text == "Connect" {
			command, text = text, "app@h on shop using TCP/IP"
		}
		fmt.Fprintf(&b, "%s\t%5s %s\t%s\n", loggedAt(10*(i+1)), connection, command, text)
	}
	return b.String()
}

func times(n int, lines ...string) (all []string) {
	for range n {
		all = append(all, lines...)
	}
	return all
}

// TestAutocommitOfLogs: where transactions begin and end, by what the log shows of autocommit.
func TestAutocommitOfLogs(t *testing.T) {
	start := []string{"1 Connect", "2 Connect"}
	readsAndWrites := []string{"1 SELECT a FROM t", "1 UPDATE t SET a = 1", "1 COMMIT"}
	for name, c := range map[string]struct {
		log   []string
		kinds map[string]float64 // how often each is
		says  string
	}{
		"off by SET":              {append(append(start, "1 SET autocommit=0"), times(20, readsAndWrites...)...), map[string]float64{"update_t": 20}, ""},
		"off and on each time":    {append(start, times(20, "1 SET autocommit=0", "1 SELECT a FROM t", "1 UPDATE t SET a = 1", "1 COMMIT", "1 SET autocommit=1", "1 SELECT b FROM u")...), map[string]float64{"update_t": 20, "select_u": 20}, ""},
		"off by where it COMMITs": {append(start, times(20, readsAndWrites...)...), map[string]float64{"update_t": 20}, "1 connection is taken to work with autocommit=0"},
		"reads beside writes":     {append(start, times(20, "1 BEGIN", "1 UPDATE t SET a = 1", "1 COMMIT", "2 SELECT b FROM u", "2 SELECT b FROM u", "2 SELECT b FROM u")...), map[string]float64{"update_t": 20, "select_u": 60}, ""},
		"never ended":             {append(append(start, "1 SET autocommit=0"), times(60, "1 SELECT b FROM u")...), map[string]float64{"select_u": 60}, "of 1 connection with autocommit=0, no COMMIT or ROLLBACK was seen"},
		"DDL ends":                {append(append(start, "1 SET autocommit=0"), times(20, "1 UPDATE t SET a = 1", "1 TRUNCATE TABLE v")...), map[string]float64{"update_t": 20}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := ReadLog(strings.NewReader(sessionsLog(c.log...)), "shop")
			if err != nil {
				t.Fatal(err)
			}
			d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Kinds) != len(c.kinds) {
				t.Errorf("%v", d.Kinds)
			}
			for kind, n := range c.kinds {
				if got := kindCalled(d, kind).Rate * seen.Seconds; math.Abs(got-n) > 0.1 {
					t.Errorf("%v of %s, want %v", got, kind, n)
				}
			}
			if text := string(d.File.Marshal()); !strings.Contains(text, c.says) || c.says == "" && strings.Contains(text, "autocommit=0") {
				t.Errorf("nothing of %q in\n%s", c.says, text)
			}
		})
	}
}

// TestShapesKept: hints, long lists and many rows stay as they were sent.
func TestShapesKept(t *testing.T) {
	const hinted = "SELECT /*+ NO_INDEX(item k_stock) MAX_EXECUTION_TIME(1000) */ price FROM item WHERE stock > 0"
	for sql, want := range map[string]string{
		hinted: "SELECT /*+ NO_INDEX(item k_stock) MAX_EXECUTION_TIME(1000) */ `price` FROM `item` WHERE `stock` > ?",
		"SELECT /*!40001 SQL_NO_CACHE */ a FROM t": "SELECT SQL_NO_CACHE `a` FROM `t`",
		"SELECT 2*/* two */3 FROM t":               "SELECT ? * ? FROM `t`",
		"/*+ no hint */ SELECT a FROM t":           "SELECT `a` FROM `t`",
	} {
		if got, err := normalize(sql, maphash.MakeSeed()); err != nil || got.text != want {
			t.Errorf("%s: %s, %v", sql, got.text, err)
		}
	}
	list := strings.TrimSuffix(strings.Repeat("7, ", 5000), ", ")
	rows := strings.TrimSuffix(strings.Repeat("(1, 'a'), ", 2000), ", ")
	for sql, n := range map[string]int{"SELECT day FROM t WHERE id IN (" + list + ")": 5000, "INSERT INTO t (id, day) VALUES " + rows: 4000, hinted: 1} {
		d := describedLog(t, generalLogOf(1000, sql, sql))
		s := d.File.Transactions[0].Statements[0]
		if len(s.Params) != n || strings.Contains(sql, hintBegin) && !strings.Contains(s.SQL, hintBegin) {
			t.Errorf("%d parameters of %.80s", len(s.Params), s.SQL)
		}
	}
}

// TestSeveralStatements: several statements in one command are counted as not covered, each of them.
func TestSeveralStatements(t *testing.T) {
	seen, err := ReadLog(strings.NewReader(generalLogOf(1000, "SELECT a FROM t", "SELECT a FROM t; SELECT b FROM t;", "SELECT a FROM t")), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if seen.Uncounted.Count != 2 || math.Abs(d.CoveredCount-0.5) > 0.001 || !(d.CoveredBytes < 0.6) {
		t.Errorf("%v not counted, coverage %v and %v", seen.Uncounted, d.CoveredCount, d.CoveredBytes)
	}
}

// TestSchemaOfMostTime: without a name, the schema is the one in which most time was spent.
func TestSchemaOfMostTime(t *testing.T) {
	text := strings.ReplaceAll(slowLogOf(20, 1, 1, times(9, "SELECT a FROM t")...), "use shop", "use many") + slowLogOf(20, 15, 1, "SELECT b FROM u", "SELECT b FROM u")
	seen, err := ReadLog(strings.NewReader(text), "")
	if err != nil || seen.Schema != "shop" || seen.Elsewhere.Count != 9 {
		t.Errorf("%v, %v, %+v", seen, err, seen)
	}
}
