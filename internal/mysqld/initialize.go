package mysqld

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/containerd/continuity/fs"
)

// initWithin bounds making the system tables: seconds on a disk, a minute or two on a slow or throttled one.
const initWithin = 15 * time.Minute

// Initializing is a context for the command of [InitCommand], which has no limit of its own.
func Initializing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, initWithin, fmt.Errorf("the server has not made its system tables within %s", initWithin))
}

// InitCommand is the command that makes the system tables in an empty data
// directory, to be run inside Root like the server itself, and what it reads on
// its standard input. It leaves root@localhost without a password and no other
// account that can log in.
//
// MariaDB's own way is a shell script, mariadb-install-db, that needs a shell
// and half a dozen programs which images leave out. What it does with them is
// to feed the server's SQL files to `mariadbd --bootstrap`; so does this.
func InitCommand(d Distribution, o Options) (argv []string, stdin string, err error) {
	argv = Arguments(d, o)
	if d.Flavour != MariaDB {
		return append(argv, "--initialize-insecure"), "", nil
	}
	stdin, err = bootstrap(d)
	if err != nil {
		return nil, "", fmt.Errorf("prepare bootstrap of MariaDB: %w", err)
	}
	// The options of mysqld_install_cmd_line in mariadb-install-db.
	return append(argv, "--bootstrap", "--log-warnings=0", "--enforce-storage-engine=",
		"--max-allowed-packet=8M", "--net-buffer-length=16K"), stdin, nil
}

// bootstrapFiles are MariaDB's SQL files in the order of mariadb-install-db
// (cat_sql), with the names they have from MariaDB 11 on and before.
var bootstrapFiles = [][]string{
	{"mariadb_system_tables.sql", "mysql_system_tables.sql"},
	{"mariadb_performance_tables.sql", "mysql_performance_tables.sql"},
	{"mariadb_system_tables_data.sql", "mysql_system_tables_data.sql"},
	{"fill_help_tables.sql"},
	{"maria_add_gis_sp_bootstrap.sql"},
	{"mariadb_sys_schema.sql", "mysql_sys_schema.sql"},
}

// onlyRoot removes what else MariaDB's files create: anonymous accounts, and
// root from other hosts, who would be a root without a password on a TCP port.
const onlyRoot = `
DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');
DELETE FROM mysql.proxies_priv WHERE Host <> 'localhost';
`

// bootstrap is the text that makes MariaDB's system tables.
func bootstrap(d Distribution) (string, error) {
	if d.Paths.Share == "" {
		return "", fmt.Errorf("no SQL files for %s in %s: install all of mariadb-server-core", d.Server, d.Root)
	}
	var b strings.Builder
	b.WriteString("create database if not exists mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n")
	for _, names := range bootstrapFiles {
		text, err := readShare(d, names)
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(text) {
			// As with --cross-bootstrap: this machine's name is in no table,
			// so the data are the same on every machine.
			if !strings.Contains(line, "@current_hostname") {
				b.WriteString(line)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(onlyRoot)
	return b.String(), nil
}

// readShare reads the first file of these names that the server brings.
func readShare(d Distribution, names []string) (string, error) {
	for _, name := range names {
		file, err := fs.RootPath(d.Root, path.Join(d.Paths.Share, name))
		if err != nil {
			return "", err
		}
		b, err := os.ReadFile(file)
		if err == nil {
			return string(b), nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("no %s in %s: install all of mariadb-server-core", names[0], filepath.Join(d.Root, d.Paths.Share))
}
