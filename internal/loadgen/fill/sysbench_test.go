package fill_test

import (
	"os/exec"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// bySysbench makes table sbtest1 of schema d again with the real sysbench.
func bySysbench(t *testing.T, s *mysqldtest.Server, session *wire.Session) {
	t.Helper()
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("no sysbench on this machine")
	}
	if err := session.Exec(t.Context(), "DROP TABLE sbtest1"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sysbench", "--mysql-socket="+s.Options.Socket, "--mysql-user=root", "--mysql-db=d", "--table-size=10", "oltp_read_only", "prepare")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}
