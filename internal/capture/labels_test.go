package capture

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/workload/file"
)

// TestNamesTellApart: kinds are named by what they change, and the transactions of a kind by the table that they are on,
// their length, and their end.
func TestNamesTellApart(t *testing.T) {
	seen := simulated(
		"SELECT `c` FROM `sbtest1` WHERE `id` = ?",
		"UPDATE `sbtest1` SET `k` = `k` + ? WHERE `id` = ?", "UPDATE `sbtest2` SET `k` = `k` + ? WHERE `id` = ?",
		"DELETE FROM `sbtest1` WHERE `id` = ?", "DELETE FROM `sbtest2` WHERE `id` = ?",
		"INSERT INTO `sbtest1` (`id`) VALUES (?)", "INSERT INTO `sbtest2` (`id`) VALUES (?)",
	)
	seen.run(500, 50, 0, 1, 3, 5)
	seen.run(500, 50, 0, 2, 4, 6)
	seen.run(50, 20, 0, 1)
	seen.run(50, 20, 0, 2)
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	var kinds, names []string
	for _, k := range d.Kinds {
		kinds = append(kinds, k.Name)
	}
	for _, tr := range d.File.Transactions {
		names = append(names, tr.Name)
		i := slices.IndexFunc(tr.Statements, func(s file.Statement) bool { return !strings.HasPrefix(s.SQL, "SELECT") })
		if table := tr.Name[strings.LastIndex(tr.Name, "_")+1:]; !strings.Contains(tr.Statements[i].SQL, "`"+table+"`") {
			t.Errorf("%s writes first: %s", tr.Name, tr.Statements[i].SQL)
		}
	}
	if diff := cmp.Diff([]string{"update_delete_insert_sbtest", "update_sbtest"}, kinds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"update_delete_insert_sbtest1", "update_delete_insert_sbtest2", "update_sbtest1", "update_sbtest2"}, names); diff != "" {
		t.Error(diff)
	}
	hashed, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x", HashNames: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"kind_1", "kind_1-2", "kind_2", "kind_2-2"} {
		if got := hashed.File.Transactions[i].Name; got != want {
			t.Errorf("hashed: %s, want %s", got, want)
		}
	}
}

// TestCoursesTellApart: of a kind with several courses, the others are named by their number of statements.
func TestCoursesTellApart(t *testing.T) {
	seen := application()
	seen.run(600, 60, 0, 1, 2)
	seen.run(300, 30, 0, 0, 0, 1, 2)
	seen.run(100, 10, 1, 0, 2)
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tr := range d.File.Transactions {
		names = append(names, tr.Name)
	}
	if diff := cmp.Diff([]string{"update_stock", "update_stock-5_statements", "update_stock-2"}, names); diff != "" {
		t.Error(diff)
	}
}
