package mysqld_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// eachServer runs a test on every server of this machine.
func eachServer(t *testing.T, f func(t *testing.T, d mysqld.Distribution)) {
	t.Helper()
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) { f(t, d) })
	}
}

// awkward is a value with everything that an options file treats specially.
const awkward = `SET @a = "# \ 'x' \n "  `

// TestServer starts each server once, with a TCP port and options of a user's,
// and looks at it from all sides.
func TestServer(t *testing.T) {
	eachServer(t, func(t *testing.T, d mysqld.Distribution) {
		s := mysqldtest.StartTCP(t, d, map[string]string{
			"innodb-buffer-pool-size": "64M",
			"init_connect":            awkward,
			"skip_log_bin":            "",
		})
		db := open(t, s.Address)
		for _, c := range []struct {
			name string
			test func(*testing.T, mysqld.Distribution, *mysqldtest.Server, *sql.DB)
		}{
			{"options", testOptions},
			{"accounts", testAccounts},
			{"variables", testVariables},
			{"schema", testSchema},
			{"sysbench", testSysbench},
			{"tcp", testTCP},
			{"tls", testTLS},
			{"password", testPassword},
			{"shutdown", testShutdown}, // last
		} {
			t.Run(c.name, func(t *testing.T) { c.test(t, d, s, db) })
		}
	})
}

func testOptions(t *testing.T, _ mysqld.Distribution, s *mysqldtest.Server, db *sql.DB) {
	for query, want := range map[string]string{
		"SELECT @@init_connect":            awkward,
		"SELECT @@innodb_buffer_pool_size": "67108864",
		"SELECT @@log_bin":                 "0",
		"SELECT @@skip_name_resolve":       "1",
		"SELECT @@secure_file_priv":        "",
		"SELECT @@datadir":                 s.Options.DataDir + "/",
		"SELECT @@socket":                  s.Options.Socket,
		"SELECT @@pid_file":                s.Options.PIDFile,
		"SELECT @@tmpdir":                  s.Options.TmpDir,
		"SELECT @@bind_address":            "127.0.0.1",
	} {
		if got := value(t, db, query); got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
	if !strings.Contains(s.Log(), "ready for connections") {
		t.Errorf("the server's log does not come on standard error: %s", s.Log())
	}
}

// testAccounts: nobody but root@localhost can log in to a server that we made.
func testAccounts(t *testing.T, _ mysqld.Distribution, s *mysqldtest.Server, db *sql.DB) {
	got := value(t, db, `SELECT GROUP_CONCAT(CONCAT(user, '@', host)) FROM mysql.user
		WHERE user NOT IN ('mysql.sys', 'mysql.session', 'mysql.infoschema', 'mariadb.sys')`)
	if got != "root@localhost" {
		t.Errorf("accounts of a new server: %s, want root@localhost alone", got)
	}
	tcp := open(t, mysqld.Address{Host: "127.0.0.1", Port: s.Options.Port, User: "root"})
	if err := tcp.Ping(); err == nil {
		t.Error("root gets in over TCP without a password")
	}
}

func testVariables(t *testing.T, d mysqld.Distribution, _ *mysqldtest.Server, db *sql.DB) {
	ctx := context.Background()
	v, err := mysqld.Variables(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	if got := v["innodb_buffer_pool_size"]; got != "67108864" {
		t.Errorf("innodb_buffer_pool_size is %q", got)
	}
	if _, there := v["init_connect"]; there {
		t.Error("init_connect can hold a password and is among the variables")
	}
	status, err := mysqld.Status(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	if status["Uptime"] == "" {
		t.Error("status has no Uptime")
	}
	version, flavour, err := mysqld.Version(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	if flavour != d.Flavour || !strings.HasPrefix(d.Version, version) {
		t.Errorf("running server is %s %s, the binary said %s %s", flavour, version, d.Flavour, d.Version)
	}
}

func testSchema(t *testing.T, _ mysqld.Distribution, _ *mysqldtest.Server, db *sql.DB) {
	ctx := context.Background()
	for range 2 { // the second finds its own
		if err := mysqld.CreateSchema(ctx, db, "tare_bench"); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		"CREATE DATABASE theirs", "CREATE TABLE theirs.precious (id INT)",
		"CREATE DATABASE lookalike", "CREATE TABLE lookalike.tare_owner (id INT)",
		"CREATE DATABASE emptied", "CREATE TABLE emptied.tare_owner (note VARCHAR(100))",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, schema := range []string{"theirs", "lookalike", "emptied", "mysql"} {
		if err := mysqld.CreateSchema(ctx, db, schema); !errors.Is(err, mysqld.ErrForeignSchema) {
			t.Errorf("create %s: %v, want ErrForeignSchema", schema, err)
		}
		if err := mysqld.DropSchema(ctx, db, schema); !errors.Is(err, mysqld.ErrForeignSchema) {
			t.Errorf("drop %s: %v, want ErrForeignSchema", schema, err)
		}
	}
	if err := mysqld.CreateSchema(ctx, db, "x`; DROP DATABASE theirs; --"); err == nil {
		t.Error("a schema name with a quote is taken")
	}
	for range 2 { // the second finds nothing
		if err := mysqld.DropSchema(ctx, db, "tare_bench"); err != nil {
			t.Fatal(err)
		}
	}
	if got := value(t, db, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name IN ('tare_bench', 'theirs', 'lookalike', 'emptied')"); got != "3" {
		t.Errorf("%s schemas are left, want the 3 that are not tare's", got)
	}
}

// testSysbench: the load engine gets in, as root over the socket and with a
// password over TCP.
func testSysbench(t *testing.T, _ mysqld.Distribution, s *mysqldtest.Server, db *sql.DB) {
	sysbench, err := exec.LookPath("sysbench")
	if err != nil {
		t.Skip("no sysbench on this machine")
	}
	for _, statement := range []string{
		"CREATE DATABASE sb", "CREATE USER sb@'127.0.0.1' IDENTIFIED BY 'Ge#heim1'", "GRANT ALL ON sb.* TO sb@'127.0.0.1'",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, access := range [][]string{
		{"--mysql-user=root", "--mysql-socket=" + s.Options.Socket},
		{"--mysql-user=sb", "--mysql-password=Ge#heim1", "--mysql-host=127.0.0.1", "--mysql-port=" + value(t, db, "SELECT @@port")},
	} {
		for _, step := range []string{"prepare", "run", "cleanup"} {
			args := append(access, "--mysql-db=sb", "--tables=1", "--table-size=100", "--time=1", "--threads=2", "oltp_read_write", step)
			if out, err := exec.Command(sysbench, args...).CombinedOutput(); err != nil {
				t.Fatalf("sysbench %v: %v\n%s", args, err, out)
			}
		}
	}
}

func testTCP(t *testing.T, _ mysqld.Distribution, s *mysqldtest.Server, db *sql.DB) {
	if _, err := db.Exec("CREATE USER t@'127.0.0.1' IDENTIFIED BY 'Se/cr@t?1'"); err != nil {
		t.Fatal(err)
	}
	a := mysqld.Address{Host: "127.0.0.1", Port: s.Options.Port, User: "t", Password: "Se/cr@t?1"}
	if err := mysqld.Ready(context.Background(), a, 10*time.Second, nil); err != nil {
		t.Error(err)
	}
}

// testShutdown: what CleanShutdown leaves starts without recovery, from a copy.
func testShutdown(t *testing.T, d mysqld.Distribution, s *mysqldtest.Server, db *sql.DB) {
	if _, err := db.Exec("CREATE DATABASE kept"); err != nil {
		t.Fatal(err)
	}
	if err := mysqld.CleanShutdown(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	s.Wait(t)
	if s.Alive() == nil {
		t.Fatal("the server still runs")
	}
	o := mysqldtest.Prepare(t, d, nil)
	if out, err := exec.Command("cp", "-a", s.Options.DataDir+"/.", o.DataDir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	copied := mysqldtest.Run(t, d, o)
	if log := strings.ToLower(copied.Log()); strings.Contains(log, "recovery") && !strings.Contains(log, "recovery from checkpoint") {
		t.Errorf("a copy after a clean shutdown needs recovery:\n%s", log)
	}
	if got := value(t, open(t, copied.Address), "SHOW DATABASES LIKE 'kept'"); got != "kept" {
		t.Error("the copy has not what the original had")
	}
	if got := value(t, open(t, copied.Address), "SELECT @@skip_networking"); got != "1" {
		t.Error("a server without a port listens on TCP")
	}
}

func open(t *testing.T, a mysqld.Address) *sql.DB {
	t.Helper()
	db, err := mysqld.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func value(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	var v sql.NullString
	if err := db.QueryRow(query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v.String
}

// caOf is the CA file that MySQL makes in its data directory at its first start,
// copied to where the test may read it.
func caOf(t *testing.T, dataDir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dataDir, "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestUnmarkedSchemaIsDropped: where the server creates the schema and refuses its marker, the schema is dropped, and the
// error is that of the marker. Here the account may not insert; on a full disk the table fails.
func TestUnmarkedSchemaIsDropped(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			server := mysqldtest.Start(t, d, nil)
			root, err := mysqld.Open(server.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for _, statement := range []string{"CREATE USER careful@localhost", "GRANT CREATE, DROP, SELECT ON tare_bench.* TO careful@localhost"} {
				if _, err := root.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			careful := server.Address
			careful.User, careful.Schema = "careful", ""
			db, err := mysqld.Open(careful)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			err = mysqld.CreateSchema(t.Context(), db, "tare_bench")
			if err == nil || !strings.HasPrefix(err.Error(), "mark schema tare_bench: Error 1142") || strings.Contains(err.Error(), "\n") || !mysqld.CreatedNothing(err) {
				t.Errorf("%v", err)
			}
			if there, err := mysqld.OwnSchema(t.Context(), root, "tare_bench"); there || err != nil {
				t.Errorf("the schema is left: %t, %v", there, err)
			}
		})
	}
}
