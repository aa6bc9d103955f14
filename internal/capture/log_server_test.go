package capture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// capturesLogs: the kinds of transactions of the shop are found in the slow log and in the
// general log that the server writes, and no literal of them is in the file. The server
// accepts what is captured.
func capturesLogs(t *testing.T, s *mysqldtest.Server) {
	admin := open(t, s.Address)
	db := shopSchema(t, s, "shop3")
	logs := map[string]string{"slow": filepath.Join(s.Options.DataDir, "slow.log"), "general": filepath.Join(s.Options.DataDir, "general.log")}
	execute(t, admin, "SET GLOBAL log_output = 'FILE'", "SET GLOBAL slow_query_log_file = '"+logs["slow"]+"'", "SET GLOBAL general_log_file = '"+logs["general"]+"'",
		"SET GLOBAL long_query_time = 0", "SET GLOBAL log_slow_extra = ON", "SET GLOBAL slow_query_log = ON", "SET GLOBAL general_log = ON")
	a := s.Address
	a.Schema = "shop3"
	shop(t, open(t, a), 1) // of connections that were made since
	execute(t, admin, "SET GLOBAL slow_query_log = OFF", "SET GLOBAL general_log = OFF")
	db.Close()
	for name, path := range logs {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			seen, err := capture.ReadLog(f, "")
			if err != nil {
				t.Fatal(err)
			}
			d, err := capture.Describe(t.Context(), seen, capture.Dictionary{DB: open(t, s.Address)}, capture.Options{Name: "shop"})
			if err != nil {
				t.Fatal(err)
			}
			text := string(d.File.Marshal())
			if strings.Contains(text, canary) {
				t.Errorf("a literal of the application is in\n%s", text)
			}
			if len(d.Kinds) != len(shopKinds()) || d.CoveredCount < 0.95 {
				t.Errorf("%d kinds, coverage %.3f\n%s", len(d.Kinds), d.CoveredCount, text)
			}
			hasShopKinds(t, d)
			for _, want := range []string{"NOW()", "IN (?, ?, ?)", fmt.Sprintf("from the %s log", name)} {
				if !strings.Contains(text, want) {
					t.Errorf("nothing of %s in\n%s", want, text)
				}
			}
			if unknown := strings.Contains(text, "latency not known"); unknown != (name == "general") || unknown && strings.Contains(text, "think:") {
				t.Errorf("times of the %s log in\n%s", name, text)
			}
			dial, err := wire.NewDialer(a)
			if err != nil {
				t.Fatal(err)
			}
			if name == "slow" {
				replays(t, dial, d.File)
			}
		})
	}
}
