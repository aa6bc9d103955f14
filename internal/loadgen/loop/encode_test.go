package loop

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/workload"
	"github.com/tarebench/tare/internal/workload/file"
)

// TestPreparedOnce: a statement that a workload file has several times is one prepared
// statement, unless its parameters have other types: the server keeps those of the last
// execution.
func TestPreparedOnce(t *testing.T) {
	w, err := file.Parse("w.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Workload
metadata: {name: twice}
data: {own: true}
transactions:
  read:
    statements:
      - {sql: "SELECT a FROM t WHERE b = ?", params: [{uniform: {from: 1, to: 9}}]}
      - {sql: "SELECT a FROM t WHERE b = ?", params: [{uniform: {from: 1, to: 9}}]}
      - {sql: "SELECT a FROM t WHERE b = ?", params: [{text: {length: 3}}]}
  again:
    statements:
      - {sql: "SELECT a FROM t WHERE b = ?", params: [7]}
      - {sql: "SELECT a FROM t"}
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := workload.FromFile(w, workload.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	statements, prepare := compile(p)
	want := []string{"SELECT a FROM t WHERE b = ?", "SELECT a FROM t WHERE b = ?", "COMMIT", "SELECT a FROM t"}
	if d := cmp.Diff(want, prepare); d != "" {
		t.Errorf("prepared (-want +got):\n%s", d)
	}
	var firsts []int
	for _, s := range statements {
		if !s.text {
			firsts = append(firsts, s.first)
		}
	}
	if d := cmp.Diff([]int{0, 0, 1, 2, 0, 3, 2}, firsts); d != "" {
		t.Errorf("the statements' numbers (-want +got):\n%s", d)
	}
}
