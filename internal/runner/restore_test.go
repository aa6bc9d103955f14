package runner

import (
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target/process"
)

// TestRestore: a server to clone, a data directory and a dump become prepared data with the
// rows of the user, whose directory is as it was before.
func TestRestore(t *testing.T) {
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	server := mysqldtest.StartTCP(t, d, map[string]string{"innodb_buffer_pool_size": "32M", "innodb_redo_log_capacity": "8M", "plugin_load_add": "mysql_clone.so"})
	theirs(t, server.Address)
	login := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(login, []byte("clone-4711\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := manifestOf(t, d, fmt.Sprintf("directory: %s", server.Options.DataDir)).manifest(); err == nil || !strings.Contains(err.Error(), "a server runs on this directory") {
		t.Errorf("a directory in use: %v", err)
	}
	t.Run("clone", func(t *testing.T) {
		restores(t, d, fmt.Sprintf("clone: {host: 127.0.0.1, port: %d, user: donor, passwordFile: %s}", server.Options.Port, login))
	})
	t.Run("clone with TLS", func(t *testing.T) {
		requireTLS(t, server.Address)
		restores(t, d, fmt.Sprintf("clone: {host: 127.0.0.1, port: %d, user: donor, passwordFile: %s, tls: verify-ca, ca: %s}", server.Options.Port, login, filepath.Join(server.Options.DataDir, "ca.pem")))
	})
	t.Run("load", func(t *testing.T) { loads(t, server.Address) })
	dump := filepath.Join(t.TempDir(), "shop.sql.gz")
	packedDump(t, dump)
	t.Run("dump", func(t *testing.T) { restores(t, d, "dump: "+dump) })
	t.Run("dump without a table", func(t *testing.T) { refusesNoTable(t, d) })
	server.Stop(t)
	t.Run("directory", func(t *testing.T) {
		before := listing(t, server.Options.DataDir)
		j, made := restores(t, d, "directory: "+server.Options.DataDir)
		hasRows(t, j, made)
		if d := cmp.Diff(before, listing(t, server.Options.DataDir)); d != "" {
			t.Errorf("the user's directory was changed:\n%s", d)
		}
	})
}

// theirs makes the user's database: root has a password, and the schema shop five rows.
func theirs(t *testing.T, at mysqld.Address) {
	t.Helper()
	db, err := mysqld.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		"CREATE DATABASE shop", "CREATE TABLE shop.item (id INT PRIMARY KEY, name VARCHAR(20))",
		"INSERT INTO shop.item VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'it''s; 5')",
		"CREATE USER donor@'%' IDENTIFIED WITH mysql_native_password BY 'clone-4711'",
	} {
		if _, err := db.Exec(q); err != nil {
			if !strings.Contains(q, "mysql_native_password") { // MySQL 9 has no such plugin
				t.Fatalf("%s: %v", q, err)
			}
			if _, err := db.Exec("CREATE USER donor@'%' IDENTIFIED BY 'clone-4711'"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, q := range []string{"GRANT BACKUP_ADMIN, PROCESS ON *.* TO donor@'%'", "ALTER USER root@localhost IDENTIFIED BY '" + secret + "'"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// requireTLS has the user's server refuse the account of the clone without TLS.
func requireTLS(t *testing.T, at mysqld.Address) {
	t.Helper()
	at.Password = secret
	db, err := mysqld.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("ALTER USER donor@'%' REQUIRE SSL"); err != nil {
		t.Fatal(err)
	}
}

// loads executes a dump on the user's server: the rows are those of the file, and an error
// has the line, and not the text of the statement.
func loads(t *testing.T, at mysqld.Address) {
	at.Password = secret
	db, err := mysqld.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE DATABASE other"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "shop.sql")
	packedDump(t, path)
	if err := backup.Load(t.Context(), db, path, "other"); err != nil {
		t.Fatal(err)
	}
	var rows string
	if err := db.QueryRow("SELECT GROUP_CONCAT(id, '=', name ORDER BY id) FROM other.item").Scan(&rows); err != nil || rows != theirRows {
		t.Errorf("%q, %v", rows, err)
	}
	if err := os.WriteFile(path, []byte("SELECT 1;\n\nINSERT INTO none VALUES ('canary4711');\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = backup.Load(t.Context(), db, path, "other")
	if err == nil || !strings.Contains(err.Error(), "shop.sql:3: ") || strings.Contains(err.Error(), "canary4711") {
		t.Error(err)
	}
}

// secret is the password of the user's root account, and theirRows the rows of their table.
const (
	secret    = "unknown-to-tare"
	theirRows = "1=a,2=b,3=c,4=d,5=it's; 5"
)

// packedDump writes a dump of the same rows.
func packedDump(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	fmt.Fprint(z, "-- MySQL dump\n/*!40101 SET NAMES utf8mb4 */;\nDROP TABLE IF EXISTS `item`;\nCREATE TABLE `item` (id INT PRIMARY KEY, name VARCHAR(20));\n"+
		"INSERT INTO `item` VALUES (1,'a'),(2,'b'),(3,'c');\nDELIMITER ;;\nCREATE TRIGGER x BEFORE INSERT ON item FOR EACH ROW BEGIN SET @a = 1; SET @b = 2; END ;;\nDELIMITER ;\n"+
		"INSERT INTO `item` VALUES (4,'d'),(5,'it\\'s; 5');\n-- Dump completed\n")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// readyWithin only detects a hang.
const readyWithin = 5 * time.Minute

// manifestOf is a job with data from somewhere.
func manifestOf(t *testing.T, d mysqld.Distribution, from string) Job {
	t.Helper()
	dir := t.TempDir()
	e, err := experiment.Parse("x.yaml", fmt.Appendf(nil, strings.Replace(spec, "protocol:", "data: {from: {%s}, schema: shop}\nload: {workload: own.yaml, threads: 1}\ndatabase: {config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 8M}}\nprotocol:", 1), from))
	if err != nil {
		t.Fatal(err)
	}
	e.Protocol.Ready = experiment.Duration(readyWithin)
	e.WorkloadFile = &experiment.Text{Name: "own.yaml", Text: []byte("apiVersion: tarebench.io/v1alpha1\nkind: Workload\nmetadata: {name: own}\n" +
		"transactions:\n  look:\n    autocommit: true\n    statements:\n      - {sql: SELECT name FROM item WHERE id = ?, params: [{uniform: {from: 1, to: 5}}]}\n")}
	place, err := process.New(func(any) error { return nil }, process.Env{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := loadgen.New("tare", "")
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	if err := os.Mkdir(run, 0o755); err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp(mysqldtest.TempDir(), "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	state := State{Dir: filepath.Join(short, "state"), RunDir: filepath.Join(short, "run")}
	return Job{Dir: run, Experiment: e, Preparer: place, Engine: engine, Distribution: d, State: state, Observe: func(Progress) {}, contents: newContents()}
}

// restores prepares the data. A server has run on them then, and has accepted the statement
// of the workload, which reads the user's table.
func restores(t *testing.T, d mysqld.Distribution, from string) (_ Job, dir string) {
	t.Helper()
	j := manifestOf(t, d, from)
	m, err := j.manifest()
	if err != nil {
		t.Fatal(err)
	}
	made, err := prepareFiles(t.Context(), j, m)
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(j.Dir, "prepare.log"))
		t.Fatalf("%v\n%s", err, log)
	}
	if !j.Restored() {
		t.Error("the data are restored, and a second run would do it again")
	}
	return j, made
}

// refusesNoTable: what a dump without a table lacks is said once, and as an error of the data.
func refusesNoTable(t *testing.T, d mysqld.Distribution) {
	t.Helper()
	dump := filepath.Join(t.TempDir(), "none.sql")
	if err := os.WriteFile(dump, []byte("SET NAMES utf8mb4; -- no table\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := manifestOf(t, d, "dump: "+dump)
	m, err := j.manifest()
	if err != nil {
		t.Fatal(err)
	}
	_, err = prepareFiles(t.Context(), j, m)
	var data DataError
	if !errors.As(err, &data) || data.Error() != "the dump makes no table in schema shop" {
		t.Errorf("%v", err)
	}
}

// hasRows starts a server on a copy of the prepared data.
func hasRows(t *testing.T, j Job, made string) {
	t.Helper()
	in, err := newInstance(j.State, j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.remove(context.WithoutCancel(t.Context()), io.Discard)
	if _, err := cloneTree(made, in.Data); err != nil {
		t.Fatal(err)
	}
	request := in.request(j, io.Discard)
	request.Config = j.Experiment.Database.Config
	server, err := j.Preparer.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(context.WithoutCancel(t.Context()))
	if err := mysqld.Ready(t.Context(), server.Address(), readyWithin, server.Alive); err != nil {
		t.Fatal(err)
	}
	db, err := mysqld.Open(server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows sql.NullString
	if err := db.QueryRow("SELECT GROUP_CONCAT(id, '=', name ORDER BY id) FROM shop.item").Scan(&rows); err != nil || rows.String != theirRows {
		t.Errorf("%q, %v", rows.String, err)
	}
}

// TestRefusedStatement: a statement that the server refuses is the dump's; a full disk is not.
func TestRefusedStatement(t *testing.T) {
	for number, ofDump := range map[uint16]bool{1193: true, 1273: true, 1064: true, 1021: false, 1114: false} {
		var data DataError
		if err := ofData(fmt.Errorf("load dump: %w", &mysql.MySQLError{Number: number})); errors.As(err, &data) != ofDump {
			t.Errorf("error %d: %v", number, err)
		}
	}
	if err := ofData(nil); err != nil {
		t.Error(err)
	}
}

// listing is name, size, hash and modification time of each file.
func listing(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		sum, err := hashOf(path)
		all = append(all, fmt.Sprintf("%s %d %s %s %s", path, info.Size(), info.Mode(), info.ModTime(), sum))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
