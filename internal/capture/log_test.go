package capture

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNormalize: the text is that of a digest, without a literal.
func TestNormalize(t *testing.T) {
	for _, c := range []struct {
		sql, want  string
		list, rows int
		params     int
	}{
		{"SELECT c FROM sbtest1 WHERE id=4711", "SELECT `c` FROM `sbtest1` WHERE `id` = ?", 0, 0, 1},
		{"select `c` from shop.t x where x.name='it''s \\' 1' -- 5\n and x.a<-3 /* 'secret' */", "SELECT `c` FROM `shop`.`t` `x` WHERE `x`.`name` = ? AND `x`.`a` < ?", 0, 0, 2},
		{"SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN 100 AND 199", "SELECT SUM(`k`) FROM `sbtest1` WHERE `id` BETWEEN ? AND ?", 0, 0, 2},
		{"SELECT a FROM t WHERE id IN (1, 2,3) AND b IN ('x')", "SELECT `a` FROM `t` WHERE `id` IN (...) AND `b` IN (...)", 3, 0, 0},
		{"INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y'), (3, NULL);", "INSERT INTO `t` (`a`, `b`) VALUES (...) /* , ... */", 0, 3, 0},
		{"INSERT INTO t(a) VALUES (1)", "INSERT INTO `t` (`a`) VALUES (?)", 0, 1, 1},
		{"INSERT INTO t VALUES (1, NOW()), (2, NOW())", "INSERT INTO `t` VALUES (?, NOW()) /* , ... */", 0, 2, 1},
		{"UPDATE t SET n = n + 1, status = 'paid' WHERE id = 0x1F", "UPDATE `t` SET `n` = `n` + ?, `status` = ? WHERE `id` = ?", 0, 0, 3},
		{"SELECT name, date FROM t WHERE year > 5 ORDER BY name LIMIT 10, 20", "SELECT `name`, `date` FROM `t` WHERE `year` > ? ORDER BY `name` LIMIT ?, ...", 0, 0, 2},
		{"SELECT id FROM job WHERE state IS NOT NULL LIMIT 1 FOR UPDATE SKIP LOCKED", "SELECT `id` FROM `job` WHERE `state` IS NOT NULL LIMIT ? FOR UPDATE SKIP LOCKED", 0, 0, 1},
		{"INSERT INTO t (a) VALUES (1), (2), (3) ON DUPLICATE KEY UPDATE a = VALUES(a)", "INSERT INTO `t` (`a`) VALUES (?) /* , ... */ ON DUPLICATE KEY UPDATE `a` = VALUES (`a`)", 0, 3, 1},
		{"INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a)", "INSERT INTO `t` (`a`) VALUES (?) ON DUPLICATE KEY UPDATE `a` = VALUES (`a`)", 0, 1, 1},
		{"START TRANSACTION", "START TRANSACTION", 0, 0, 0},
		{"COMMIT", "COMMIT", 0, 0, 0},
		{"SELECT _utf8mb4'x', X'00', 1.5e-3 FROM t", "SELECT ?, ... FROM `t`", 0, 0, 1},
	} {
		got, err := normalize(c.sql, maphash.MakeSeed())
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		want := fmt.Sprint(c.want, c.list, c.rows, c.params)
		if d := cmp.Diff(want, fmt.Sprint(got.text, got.list, got.rows, len(got.values))); d != "" {
			t.Error(d)
		}
		if _, err := lex(got.text); err != nil {
			t.Errorf("%s cannot be split: %v", got.text, err)
		}
	}
	for _, cut := range []string{"SELECT 'a", "SELECT /* a", "SELECT `a"} {
		if _, err := normalize(cut, maphash.MakeSeed()); err == nil {
			t.Errorf("%s was read", cut)
		}
	}
}

// slowText is a slow log as MySQL 8.4 writes it, with log_slow_extra in one entry. USE is written where
// the schema is not that of the entry before, of whichever connection.
const slowText = `/usr/sbin/mysqld, Version: 8.4.3 (MySQL Community Server). started with:
Tcp port: 3306  Unix socket: /run/mysqld.sock
Time                 Id Command    Argument
# Time: 2026-11-23T10:00:00.000000Z
# User@Host: app[app] @ localhost []  Id:     8
# Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
use shop;
SET timestamp=1;
BEGIN;
# Time: 2026-11-23T10:00:00.010000Z
# User@Host: app[app] @ localhost []  Id:     8
# Query_time: 0.005000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1
SET timestamp=1;
SELECT price
FROM item WHERE id = 4711;
# Time: 2026-11-23T10:00:00.020000Z
# User@Host: app[app] @ localhost []  Id:     8
# Query_time: 0.005000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 1 Thread_id: 8 Errno: 0 Killed: 0 Bytes_received: 0
SET timestamp=1;
UPDATE item SET note = 'canary4711; # Time: ' WHERE id = 4711;
# Time: 2026-11-23T10:00:00.021000Z
# User@Host: app[app] @ localhost []  Id:     8
# Query_time: 0.000010  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1;
# administrator command: Ping;
# Time: 2026-11-23T10:00:00.030000Z
# User@Host: app[app] @ localhost []  Id:     8
# Query_time: 0.001000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1;
COMMIT;
# Time: 2026-11-23T10:00:02.000000Z
# User@Host: app[app] @ localhost []  Id:     9
# Query_time: 0.002000  Lock_time: 0.000000 Rows_sent: 3  Rows_examined: 3
SET timestamp=1;
SELECT id FROM item WHERE id IN (1,2,3);
`

// generalText is a general log as MySQL and, from its third line on, MariaDB write it.
const generalText = "2026-11-23T10:00:00.000000Z\t    8 Connect\tapp@localhost on shop using Socket\n" +
	"2026-11-23T10:00:00.000000Z\t    8 Query\tBEGIN\n" +
	"2026-11-23T10:00:00.010000Z\t    8 Execute\tSELECT price\nFROM item WHERE id = 4711\n" +
	"2026-11-23T10:00:00.020000Z\t    8 Query\tUPDATE item SET note = 'canary4711' WHERE id = 4711\n" +
	"\t\t    8 Query\tCOMMIT\n" +
	"2026-11-23T10:00:01.000000Z\t    8 Prepare\tSELECT canary FROM none\n" +
	"2026-11-23T10:00:01.000000Z\t    8 Quit\t\n" +
	"2026-11-23T10:00:02.000000Z\t    9 Connect\tapp@localhost on  using Socket\n" +
	"2026-11-23T10:00:02.000000Z\t    9 Init DB\tshop\n" +
	"2026-11-23T10:00:02.000000Z\t    9 Query\tSELECT id FROM item WHERE id IN (1,2,3)\n"

// TestSlowLogLines: what the server writes before a statement is none of it: USE beside the schema of
// the heading (MariaDB, Percona Server), and the last AUTO_INCREMENT value.
func TestSlowLogLines(t *testing.T) {
	const text = `# Time: 261123 10:00:00
# User@Host: app[app] @ localhost []
# Thread_id: 8  Schema: shop  QC_hit: No
# Query_time: 0.001  Lock_time: 0.0  Rows_sent: 0  Rows_examined: 0
use shop;
SET last_insert_id=7,insert_id=8,timestamp=1700000000;
INSERT INTO item (note) VALUES ('a');
# User@Host: app[app] @ localhost []
# Thread_id: 9  Schema: other  QC_hit: No
# Query_time: 0.001  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 1
use other;
SET timestamp=1700000000.123456;
SELECT 1 FROM item WHERE id = 1;
# Time: 261123 10:00:02
# User@Host: app[app] @ localhost []
# Thread_id: 8  Schema: shop  QC_hit: No
# Query_time: 0.001  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 1
use shop;
SET timestamp=1700000001;
SELECT note FROM item WHERE id = 1;
`
	seen, err := ReadLog(strings.NewReader(text), "shop")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"INSERT INTO `item` (`note`) VALUES (?)": 1, "SELECT `note` FROM `item` WHERE `id` = ?": 1}
	if d := cmp.Diff(want, countsOf(seen)); d != "" {
		t.Error(d)
	}
}

// countsOf is how often each statement was seen, by its text.
func countsOf(seen *Seen) map[string]float64 {
	counts := map[string]float64{}
	for _, s := range seen.Statements {
		counts[s.Text] = s.Count
	}
	return counts
}

// TestReadLog: both logs have the same statements and the same transaction.
func TestReadLog(t *testing.T) {
	for name, text := range map[string]string{"slow": slowText, "general": generalText} {
		t.Run(name, func(t *testing.T) {
			seen, err := ReadLog(strings.NewReader(text), "")
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]float64{"BEGIN": 1, "COMMIT": 1, "SELECT `price` FROM `item` WHERE `id` = ?": 1, "UPDATE `item` SET `note` = ? WHERE `id` = ?": 1, "SELECT `id` FROM `item` WHERE `id` IN (...)": 1}
			if d := cmp.Diff(want, countsOf(seen)); d != "" {
				t.Error(d)
			}
			if seen.Schema != "shop" || seen.Seconds != 2 || seen.Connections != 2 || seen.Uncounted.Count != 0 {
				t.Errorf("schema %s, %v s, %d connections, %v not counted", seen.Schema, seen.Seconds, seen.Connections, seen.Uncounted.Count)
			}
			if len(seen.Transactions) == 0 || len(seen.Transactions[0].Statements) != 2 || !seen.Transactions[0].Explicit {
				t.Errorf("%+v", seen.Transactions)
			}
			for _, s := range seen.Statements {
				if strings.Contains(s.Text, "IN (") && s.each(s.Lists) != 3 {
					t.Errorf("%s: lists of %v", s.Text, s.each(s.Lists))
				}
			}
			if strings.Contains(fmt.Sprintf("%+v", seen), "canary") {
				t.Errorf("a literal was kept: %+v", seen)
			}
		})
	}
	for _, none := range []string{"", "hello\nworld\n", strings.Repeat("x", 1<<17)} {
		if _, err := ReadLog(strings.NewReader(none), ""); err == nil {
			t.Error("what is not a log was read")
		}
	}
}

// TestLongStatement: a statement of more than a MiB is counted and not kept.
func TestLongStatement(t *testing.T) {
	long := generalText + "2026-11-23T10:00:03.000000Z\t    9 Query\tSELECT '" + strings.Repeat("x", 3<<20) + "'\n" +
		"2026-11-23T10:00:04.000000Z\t    9 Query\tSELECT '" + strings.Repeat("x\n", 1<<20) + "'\n"
	seen, err := ReadLog(strings.NewReader(long), "")
	if err != nil || seen.Uncounted.Count != 2 || len(seen.Statements) != 5 {
		t.Errorf("%v; %+v", err, seen)
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add(slowText)
	f.Add(generalText)
	f.Add("231123 22:00:00\t 8 Query\tSELECT 'a'\n\t\t 8 Query\tSELECT 1e5\n")
	f.Fuzz(func(t *testing.T, text string) {
		seen, err := ReadLog(strings.NewReader(text), "")
		if err != nil {
			return
		}
		for _, s := range seen.Statements {
			if strings.ContainsAny(strings.ReplaceAll(s.Text, "`", ""), "'\"") && !strings.Contains(s.Text, "`") {
				t.Errorf("a quoted text in %q", s.Text)
			}
			if !(s.Count >= 1) {
				t.Errorf("%v of %q", s.Count, s.Text)
			}
		}
	})
}

// TestExponent: the exponent of a Zipf distribution is found from the repetitions of its
// values. The number of different values alone, as a naive estimate has it, does not tell.
func TestExponent(t *testing.T) {
	for _, c := range []struct {
		s float64
		n int64
	}{{0, 10_000}, {0.5, 10_000}, {0.8, 10_000}, {0.9, 100_000}, {1.2, 1000}} {
		worst := 0.0
		for seed := range uint64(20) {
			draw := zipfian(c.n, c.s, rand.New(rand.NewPCG(seed, 1)))
			p := newSpread()
			for range 20_000 {
				p.add(value{hash: uint64(draw())})
			}
			got, ok := p.parameter().Exponent(c.n)
			if !ok {
				t.Fatalf("exponent %v of %d numbers: too few values", c.s, c.n)
			}
			worst = max(worst, math.Abs(got-c.s))
		}
		if worst > 0.06 {
			t.Errorf("exponent %v of %d numbers: up to %.2f off", c.s, c.n, worst)
		}
	}
	few := newSpread()
	for i := range uint64(20) {
		few.add(value{hash: i + 1})
	}
	if s, ok := few.parameter().Exponent(10_000); ok {
		t.Errorf("20 values without a repetition show the exponent %v", s)
	}
}

// zipfian draws from 1 to n by the inverse of the distribution function.
func zipfian(n int64, s float64, r *rand.Rand) func() int64 {
	sums := make([]float64, n+1)
	for k := int64(1); k <= n; k++ {
		sums[k] = sums[k-1] + math.Pow(float64(k), -s)
	}
	return func() int64 {
		u := r.Float64() * sums[n]
		low, high := int64(1), n
		for low < high {
			if middle := (low + high) / 2; sums[middle] < u {
				low = middle + 1
			} else {
				high = middle
			}
		}
		return low
	}
}
