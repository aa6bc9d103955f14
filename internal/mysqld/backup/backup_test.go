package backup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStale: what belongs to the server that the data are from goes, whatever the directory
// is called: brackets in its path are no pattern.
func TestStale(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mysql[8.4]")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"auto.cnf", "db1.pid", "mysql.sock", "mysqlx.sock.lock", "ibdata1", "pid.ibd"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Stale(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"ibdata1", "pid.ibd"}, left); diff != "" {
		t.Error(diff)
	}
}
