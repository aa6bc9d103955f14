package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// What another application of somebody else's server has in its statements.
const (
	othersSchema = "billing_7d1f6e"
	othersTable  = "customers_secret_7d1f6e"
	othersValue  = "value_secret_7d1f6e"
	othersTrace  = "7d1f6e" // in each of them
)

// testOthersStatements: an application of the server's owner runs statements that take
// longer than tare's while a trial loads the server. No file of the run and no export names
// its schema, its table or its values, and nothing that tare prints.
func testOthersStatements(t *testing.T, s *theirs) {
	exec := func(statements ...string) {
		for _, statement := range statements {
			if _, err := s.root.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	// An account that may see what others do.
	exec("CREATE DATABASE "+othersSchema, "CREATE TABLE "+othersSchema+"."+othersTable+" (name VARCHAR(99))",
		"GRANT SELECT ON performance_schema.* TO tare@'%'", "GRANT PROCESS ON *.* TO tare@'%'")
	defer exec("DROP DATABASE "+othersSchema, "REVOKE SELECT ON performance_schema.* FROM tare@'%'", "REVOKE PROCESS ON *.* FROM tare@'%'")
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan int)
	go func() {
		n := 0
		for ctx.Err() == nil {
			if _, err := s.root.ExecContext(ctx, "INSERT INTO "+othersSchema+"."+othersTable+" SELECT '"+othersValue+"' WHERE SLEEP(0.1) = 0"); err == nil {
				n++
			}
		}
		ran <- n
	}()
	run, exports := filepath.Join(s.dir, "others"), t.TempDir()
	out, err := s.tare("others-state", "run", s.spec(t, "others", "tare", "passwordEnv: "+canaryVariable, 3), "--out", run).CombinedOutput()
	stop()
	if n := <-ran; err != nil || n == 0 {
		t.Fatalf("%d statements of others; the run: %v\n%s", n, err, out)
	}
	var kept int
	if err := s.root.QueryRow("SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE '%" + othersTable + "%'").Scan(&kept); err != nil || kept == 0 {
		t.Errorf("the server itself knows nothing of the statements, so that the search finds nothing: %v", err)
	}
	for _, args := range readings(run, exports) {
		said, err := s.tare("others-state", args...).CombinedOutput()
		if out = append(out, said...); err != nil {
			t.Errorf("tare %s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
	if bytes.Contains(out, []byte(othersTrace)) {
		t.Errorf("tare prints a statement of others:\n%s", out)
	}
	hasNoTrace(t, run, "mysql.digest.01")
	hasNoTrace(t, exports, "")
}

// hasNoTrace searches every file below a directory for statements of others; one of the
// records has what is to be there, by which the search is seen to look at the right files.
func hasNoTrace(t *testing.T, dir, there string) {
	t.Helper()
	found, n := there == "", 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if n++; bytes.Contains(b, []byte(othersTrace)) {
			t.Errorf("%s has a statement of others", path)
		}
		found = found || d.Name() == record.StreamFile && bytes.Contains(b, []byte(there))
		return err
	})
	if err != nil || n == 0 || !found {
		t.Errorf("%s: %d files, %q found %v, %v", dir, n, there, found, err)
	}
}
