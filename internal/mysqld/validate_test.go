package mysqld_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestAskOptions: real servers name every option that they refuse, not only the first,
// and refuse none that they have.
func TestAskOptions(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			good := map[string]string{
				"innodb_buffer_pool_size": "32M", "max-connections": "50", "skip_log_bin": "", "loose_no_such_thing": "1",
				"sql_mode": "TRADITIONAL", "hot.key_buffer_size": "1M",
			}
			if refused := mysqld.AskOptions(t.Context(), d, good); len(refused) > 0 {
				t.Errorf("options that it has are refused: %v", refused)
			}
			bad := map[string]string{"no_such_option": "5", "innodb-nor-this": "1", "sql_mode": "NONSENSE", "max_connections": "50"}
			refused := mysqld.AskOptions(t.Context(), d, bad)
			var names []string
			for _, r := range refused {
				names = append(names, r.Name)
				if !strings.Contains(strings.ReplaceAll(r.Reason, "-", "_"), strings.ReplaceAll(r.Name, "-", "_")) {
					t.Errorf("%s: the reason does not name it: %s", r.Name, r.Reason)
				}
			}
			if got := strings.Join(names, " "); got != "innodb-nor-this no_such_option sql_mode" {
				t.Errorf("refused: %s (%v)", got, refused)
			}
		})
	}
}

// TestAskOptionsOfNobody: a server that does not run refuses nothing.
func TestAskOptionsOfNobody(t *testing.T) {
	d := mysqld.Distribution{Root: "/", Server: "/no/such/server", Version: "8.4.3", Flavour: mysqld.MySQL}
	if refused := mysqld.AskOptions(t.Context(), d, map[string]string{"max_connections": "1"}); len(refused) > 0 {
		t.Error(refused)
	}
}

// TestWithoutBinaryLog: whatever a user calls the binary log, there is none, and all else stays.
func TestWithoutBinaryLog(t *testing.T) {
	got := mysqld.WithoutBinaryLog(map[string]string{"log-bin": "x", "loose_log_bin": "x", "disable-log-bin": "", "log_bin_index": "i", "sync_binlog": "1"})
	want := map[string]string{"skip_log_bin": "", "log_bin_index": "i", "sync_binlog": "1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
