package mysqld_test

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
)

// TestErrorLines: the causes are said, not the closing lines that every server prints.
func TestErrorLines(t *testing.T) {
	const times = "2026-11-30T11:22:56.123456Z 0 "
	for name, c := range map[string]struct{ log, want string }{
		"MySQL": {times + "[System] [MY-015017] [Server] MySQL Server Initialization - start.\n" +
			times + "[ERROR] [MY-000067] [Server] unknown variable 'innodb_buffer_pool_sise=256M'.\n" +
			times + "[ERROR] [MY-010119] [Server] Aborting\n" +
			times + "[System] [MY-015018] [Server] MySQL Server Initialization - end.\n",
			"[ERROR] [MY-000067] [Server] unknown variable 'innodb_buffer_pool_sise=256M'."},
		"MariaDB": {"2026-11-30 11:22:56 0 [ERROR] mariadbd: unknown variable 'a=1'\n2026-11-30 11:22:56 0 [ERROR] Aborting\n",
			"[ERROR] mariadbd: unknown variable 'a=1'"},
		"the first": {"[ERROR] a\n[Note] x\n[ERROR] b\n[ERROR] c\n[ERROR] d\n", "[ERROR] a | [ERROR] b | [ERROR] c"},
		"none":      {"[System] ready for connections\n", ""},
		"a long one": {"[ERROR] " + strings.Repeat("é", 300) + "\n",
			"[ERROR] " + strings.Repeat("é", 196) + "..."},
	} {
		if got := mysqld.ErrorLines(c.log); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
