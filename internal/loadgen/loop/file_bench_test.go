package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

const fileHead = "apiVersion: tarebench.io/v1alpha1\nkind: Workload\nmetadata: {name: same}\ndata: {own: true}\ntransactions:\n  t:\n"

// sameAsFile are built-in workloads, with one table of sysbench's, written as files.
func sameAsFile(rows int) map[string]string {
	id := fmt.Sprintf("{uniform: {from: 1, to: %d}}", rows)
	var b strings.Builder
	add := func(sql string, params ...string) {
		fmt.Fprintf(&b, "      - {sql: \"%s\", params: [%s]}\n", sql, strings.Join(params, ", "))
	}
	statements := func() string { defer b.Reset(); return b.String() }
	add("SELECT c FROM sbtest1 WHERE id=?", id)
	points := fileHead + "    autocommit: true\n    statements:\n" + statements()
	for range 10 {
		add("SELECT c FROM sbtest1 WHERE id=?", id)
	}
	for _, sql := range []string{"SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?", "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
		"SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c", "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c"} {
		add(sql, "{from: first}", "{from: first, plus: 99}")
	}
	text := func(n int) string { return fmt.Sprintf("{text: {length: %d}}", n) }
	add("UPDATE sbtest1 SET k=k+1 WHERE id=?", id)
	add("UPDATE sbtest1 SET c=? WHERE id=?", text(workload.CLength), id)
	add("DELETE FROM sbtest1 WHERE id=?", "{from: row}")
	add("INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)", "{from: row}", id, text(workload.CLength), text(workload.PadLength))
	return map[string]string{
		"oltp_point_select": points,
		"oltp_read_write":   fileHead + fmt.Sprintf("    values: {first: %s, row: %s}\n    statements:\n", id, id) + statements(),
	}
}

// BenchmarkFile compares the client's CPU time of a statement: a built-in workload, and the
// same statements as a file, one after the other in turns. ns/op is the length of a pair; the
// metrics are what counts. It needs a quiet machine:
//
//	TARE_TEST_ROOTFS=... go test ./internal/loadgen/loop -run '^$' -bench BenchmarkFile -benchtime 5x
func BenchmarkFile(b *testing.B) {
	const rows = 10_000
	s := newBench(b, mysqldtest.Distributions(b)[0])
	o := small(1, rows, 8)
	o.Rand.Type = "uniform"
	s.prepare(b, o)
	for name, source := range sameAsFile(rows) {
		b.Run(name, func(b *testing.B) {
			var builtIn, own usedCPU
			for range b.N {
				builtIn.add(b, s.job(b, name, o))
				own.add(b, s.fileJob(b, "same.yaml", []byte(source), connections(8, false)))
			}
			b.ReportMetric(builtIn.perStatement(), "builtin-ns/statement")
			b.ReportMetric(own.perStatement(), "file-ns/statement")
			b.ReportMetric(own.perStatement()/builtIn.perStatement(), "file/builtin")
		})
	}
}

// usedCPU is the CPU time of loops, and the statements that were answered.
type usedCPU struct {
	cpu        time.Duration
	statements int64
}

func (u *usedCPU) add(b *testing.B, j *loop.Job) {
	j.Warmup, j.Time, j.Loops = 200*time.Millisecond, time.Second, 1
	r := run(b, j)
	u.cpu += r.Self.Ran
	u.statements += r.Window.Queries()
}

func (u *usedCPU) perStatement() float64 { return float64(u.cpu) / float64(u.statements) }
