package backup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
)

// Heads as mysqldump 9.7.4 and mariadb-dump 10.11 write them.
const (
	headOfMySQL = "-- MySQL dump 10.13  Distrib 9.7.4, for Linux (x86_64)\n--\n-- Host: 127.0.0.1    Database: shop\n-- Server version\t9.7.4-2\n" +
		"SET @@SESSION.SQL_LOG_BIN= 0;\n"
	gtid          = "SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '11d80d4a-ec6a-11f1-9c10-02fc00000001:1-4';\n"
	headOfMariaDB = "/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)\n" +
		"-- Server version\t11.8.9-MariaDB-4 from Debian-log\n"
	tableOfMariaDB = "CREATE TABLE `item` (\n  `id` int(11) NOT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci;\n"
)

// TestOrigin: the head of a dump says which server it is from, and what a server of the other product refuses.
func TestOrigin(t *testing.T) {
	for text, want := range map[string]struct{ from, byMySQL, byMariaDB string }{
		headOfMySQL:                       {"MySQL 9.7.4", "", ""},
		headOfMySQL + gtid:                {"MySQL 9.7.4", "", "--set-gtid-purged=OFF"},
		headOfMySQL + "/* " + gtid + "*/": {"MySQL 9.7.4", "", ""}, // --set-gtid-purged=COMMENTED
		headOfMariaDB + tableOfMariaDB:    {"MariaDB 11.8.9", "utf8mb4_uca1400_ai_ci", ""},
		headOfMariaDB:                     {"MariaDB 11.8.9", "", ""},
		headOfMySQL + "INSERT INTO `t` VALUES (1,'COLLATE=utf8mb4_uca1400_ai_ci');\n": {"MySQL 9.7.4", "", ""},
		strings.Replace(headOfMySQL, "9.7.4-2", "11.8.9-MariaDB-4", 1):                {"MariaDB 11.8.9", "", ""}, // mysqldump of MariaDB
		strings.Replace(headOfMySQL, "-- Server version", "--", 1):                    {"MySQL", "", ""},
		"CREATE TABLE t (id INT);\n":                                                  {"", "", ""},
		"CREATE TABLE t (\n  `a` varchar(9) COLLATE utf8mb4_uca1400_as_cs\n);\n":      {"", "utf8mb4_uca1400_as_cs", ""},
	} {
		path := filepath.Join(t.TempDir(), "shop.sql")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := Of(path)
		if o.From() != want.from {
			t.Errorf("%.60q is from %q, want %q", text, o.From(), want.from)
		}
		for flavour, says := range map[string]string{mysqld.MySQL: want.byMySQL, mysqld.MariaDB: want.byMariaDB} {
			if why := o.RefusedBy(flavour); (why == "") != (says == "") || !strings.Contains(why, says) {
				t.Errorf("%.60q by %s: %q, want %q", text, flavour, why, says)
			}
			if o.Other(flavour) != (want.from != "" && !strings.HasPrefix(want.from, mysqld.Product(flavour))) {
				t.Errorf("%.60q: other than %s: %v", text, flavour, o.Other(flavour))
			}
		}
	}
}
