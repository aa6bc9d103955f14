package mysqld_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/memory"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/option"
)

// TestMemoryOfServersHere: the resident set of the servers of this machine, with a full buffer pool, is predicted
// within 15 %, with and without performance_schema. The grid of more releases is in package memory.
func TestMemoryOfServersHere(t *testing.T) {
	const mib, within = 1 << 20, 0.15
	eachServer(t, func(t *testing.T, d mysqld.Distribution) {
		var major, minor int
		if _, err := fmt.Sscanf(d.Version, "%d.%d", &major, &minor); err != nil {
			t.Fatal(err)
		}
		o := mysqldtest.Prepare(t, d, nil)
		mysqldtest.Initialize(t, d, o)
		run := func(schema string, statements ...string) *mysqldtest.Server {
			o.Config = map[string]string{
				"innodb_buffer_pool_size": "64M", "performance_schema": schema, "innodb_log_buffer_size": "16M", "innodb_flush_log_at_trx_commit": "2",
				"innodb_use_native_aio": "OFF", "skip_log_bin": "", "table_open_cache": "400", "table_definition_cache": "400",
			}
			mysqldtest.WriteDefaults(t, d, o)
			s := mysqldtest.Run(t, d, o)
			db := open(t, s.Address)
			for _, statement := range statements {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			return s
		}
		run("OFF", fillsPool...).Stop(t) // an allocator keeps what large transactions took
		for _, schema := range []string{"OFF", "ON"} {
			s := run(schema, readsPool)
			server := memory.Server{MariaDB: d.Flavour == mysqld.MariaDB, Major: major, Minor: minor, BufferPool: 64 * mib, LogBuffer: 16 * mib, PerformanceSchema: schema == "ON"}
			e := memory.Of(server.Sized(151, 400, 400))
			got, want := resident(t, s.PID), float64(e.Full()+e.Code)
			if off := want/got - 1; off < -within || off > within {
				t.Errorf("performance_schema=%s: %.0f MiB predicted, %.0f MiB measured (%+.1f %%)", schema, want/mib, got/mib, 100*off)
			}
			s.Stop(t)
		}
	})
}

// readsPool reads more rows than the buffer pool holds.
const readsPool = "SELECT COUNT(*) FROM fill.t WHERE c > 'a'"

// fillsPool writes 90 MiB of rows.
var fillsPool = []string{
	"CREATE DATABASE IF NOT EXISTS fill", "DROP TABLE IF EXISTS fill.t",
	"CREATE TABLE fill.t (id INT AUTO_INCREMENT PRIMARY KEY, a CHAR(250) NOT NULL, b CHAR(250) NOT NULL, c CHAR(250) NOT NULL) CHARACTER SET latin1",
	"INSERT INTO fill.t (a, b, c) VALUES (REPEAT('a', 250), REPEAT('b', 250), REPEAT('c', 250))",
	double, double, double, double, double, double, double, double, double, double, double, double, double, double, double, double, double,
}

const double = "INSERT INTO fill.t (a, b, c) SELECT a, b, c FROM fill.t"

// resident is a process's resident set in bytes, without files in memory that it maps: MariaDB maps its redo log where
// that lies on tmpfs, as it does in tests.
func resident(t *testing.T, pid int) (bytes float64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Rss(?:Anon|File):\s+(\d+) kB`).FindAllSubmatch(text, -1) {
		n, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		bytes += n * 1024
	}
	if bytes == 0 {
		t.Fatalf("no RssAnon in\n%s", text)
	}
	return bytes
}

// help is what a server prints of its options, with an option on its command line or, of a server of this file system,
// in a file.
func help(t *testing.T, d mysqld.Distribution, opening, option string) (out, errors string) {
	t.Helper()
	argv := []string{d.Server, opening, "--datadir=/tmp", "--user=root", "--verbose", "--help", option}
	if d.Flavour == mysqld.MySQL {
		argv = append(argv, "--secure-file-priv=")
	}
	if d.Root != "/" {
		argv = append([]string{"chroot", d.Root}, argv...)
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run() // what it says is the result, also where it refuses the option
	return o.String(), e.String()
}

// TestKnownOptionsHere: the servers of this machine have the options that the table says, and no others.
func TestKnownOptionsHere(t *testing.T) {
	eachServer(t, func(t *testing.T, d mysqld.Distribution) {
		out, errors := help(t, d, "--no-defaults", "--max-connections=100")
		names := helpOption.FindAllStringSubmatch(out, -1)
		if len(names) < 500 {
			t.Fatalf("%d options\n%s", len(names), errors)
		}
		product, in := releaseHere(t, d)
		for _, m := range names {
			name := strings.ReplaceAll(strings.ToLower(m[1]), "-", "_")
			if s, _ := option.Stand(product, in, name); s != option.Accepted {
				t.Errorf("%s has %s, which is %s by the table", d.Version, name, s)
			}
		}
	})
}

var helpOption = regexp.MustCompile(`(?m)^  (?:-\S, )?--([A-Za-z0-9][A-Za-z0-9_.-]*)`)

func releaseHere(t *testing.T, d mysqld.Distribution) (string, option.Release) {
	t.Helper()
	var r option.Release
	if _, err := fmt.Sscanf(d.Version, "%d.%d.%d", &r[0], &r[1], &r[2]); err != nil {
		t.Fatal(err)
	}
	if d.Flavour == mysqld.MariaDB {
		return option.MariaDB, r
	}
	return option.MySQL, r
}

// TestSizesAsServersRead: what tare reads as a size, and what it calls unreadable, is what the servers of this machine
// do.
func TestSizesAsServersRead(t *testing.T) {
	eachServer(t, func(t *testing.T, d mysqld.Distribution) {
		for _, text := range []string{"1Gi", "1GB", "64m", "2147483648", "1 G", "75%", "1.5G", "0x40000000", "abc", "134217728B"} {
			out, errors := help(t, d, "--no-defaults", "--innodb-buffer-pool-size="+text)
			want, ok := option.Bytes(text)
			refused := strings.Contains(errors, "Unknown suffix")
			m := regexp.MustCompile(`(?m)^innodb-buffer-pool-size +(\d+)`).FindStringSubmatch(out)
			if refused == ok || ok && (m == nil || m[1] != strconv.FormatInt(want, 10)) {
				t.Errorf("%q: %d %t by tare, and the server: %v %s", text, want, ok, m, errors)
			}
		}
	})
}

// TestLinesAsServersRead: a server of this machine ends at the lines that tare calls broken. It is one that reads files
// of this file system: MariaDB.
func TestLinesAsServersRead(t *testing.T) {
	eachServer(t, func(t *testing.T, d mysqld.Distribution) {
		if d.Root != "/" {
			return // the recorded measurements of M-OPT-01 are of MySQL as well
		}
		for _, text := range []string{"max_connections=50\n[mysqld]\n", "[mysqld\nmax_connections=50\n"} {
			file := filepath.Join(t.TempDir(), "my.cnf")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, errors := help(t, d, "--defaults-file="+file, "--max-connections=100"); !strings.Contains(errors, "without preceding group") && !strings.Contains(errors, "Wrong group definition") {
				t.Errorf("%q is read: %s", text, errors)
			}
		}
	})
}
