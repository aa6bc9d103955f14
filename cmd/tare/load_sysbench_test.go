package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandLinesOfSysbench: what a user of sysbench pastes runs, or one sentence says what to do. Nothing listens on
// port 1: a command line that was understood fails to connect.
func TestCommandLinesOfSysbench(t *testing.T) {
	const to, connects = " --mysql-host=127.0.0.1 --mysql-port=1", "connect: connection refused"
	own := filepath.Join(t.TempDir(), "oltp_read_write.lua")
	if err := os.WriteFile(own, []byte("-- mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"oltp_read_only --report-interval=1 --time=1800 --threads=56 --tables=10 --table-size=10000000 --mysql-user=sbtest --mysql-password=sbtest run":                          connects,
		"--db-driver=mysql --mysql_host=127.0.0.1 --mysql_user=sbtest --mysql_password=pw --mysql-db=sbtest --table_size=100000 --tables=16 --threads=4 oltp_read_write prepare": connects,
		"/usr/share/sysbench/oltp_read_write.lua --threads=16 --events=0 --time=300 --db-ps-mode=disable --percentile=99 run":                                                    connects,
		"/usr/local/share/sysbench/oltp_point_select.lua --rand-type=uniform --rate=1000 --forced-shutdown=off run":                                                              connects,
		"./share/sysbench/oltp_update_index.lua --skip_trx=on --histogram cleanup":                                                                                               connects,
		"oltp_insert.lua --threads=8 --mysql-ignore-errors=1062,1213 --auto_inc=off run":                                                                                         connects,
		"--num-threads=8 --max-time=60 --max-requests=0 --tx-rate=100 oltp_read_write run":                                                                                       connects,
		"--threads=1,2,4 --time=1 oltp_read_only run":                                                                                                                            connects,
		"--percentile=0 --validate --verbosity=5 --debug=on oltp_read_only run":                                                                                                  "ignored, because they change nothing here: --validate, --verbosity, --debug\n",
		"--mysql-ssl=REQUIRED oltp_read_only run":                                                                                                                                connects,
		"--mysql-ssl=PREFERRED oltp_read_only run":                                                                                                                               "write on or off, or required, verify-ca or verify-identity",
		"bulk_insert --threads=4 prepare":                                                                                                                                        connects,
		"--db-driver=pgsql --pgsql-host=db oltp_read_only run":                                                                                                                   "--db-driver \"pgsql\": tare measures MySQL and MariaDB",
		"--mysql-dry-run oltp_read_only run":                                                                                                                                     "tare has no run without a server",
		"--mysql-host=a,b oltp_read_only run":                                                                                                                                    "tare load loads one, and tare versus compares two",
		"--mysql-compression=on oltp_read_only run":                                                                                                                              "tare does not compress connections",
		"--mysql-compression=off oltp_read_only run":                                                                                                                             connects,
		"--test=/usr/share/doc/sysbench/tests/db/oltp.lua --oltp-table-size=100 run":                                                                                             "options of sysbench 0.5 have other names since 1.0",
		"--oltp-read-only=on --num-threads=8 run":                                                                                                                                "options of sysbench 0.5 have other names since 1.0",
		"./tpcc.lua --tables=10 --scale=100 run":                                                                                                                                 "tare load --scale=10 tpcc prepare",
		"--trx_level=RC tpcc run":                                                                                                                                                "tare has a workload tpcc of its own",
		own + " run":                                                                                                                                                             "tare does not run the script " + own,
		"./mine.lua run":                                                                                                                                                         "write the workload as a file (docs/workloads.md)",
		"oltp_read_write prewarm":                                                                                                                                                "use --warmup-time with run",
		"oltp_read_write":                                                                                                                                                        "write tare load oltp_read_write and one of prepare, run, check or cleanup",
		"run":                                                                                                                                                                    "write for example tare load oltp_read_write run",
		"cpu run":                                                                                                                                                                "run it with sysbench",
		"oltp_read_only run now":                                                                                                                                                 "now",
		"--threads=1,2 --report-json=x oltp_read_only run":                                                                                                                       "leave out --generators and --report-json",
		"mysql://sbtest@127.0.0.1:1/sbtest oltp_read_only run":                                                                                                                   connects,
		"127.0.0.1:1 oltp_read_only run":                                                                                                                                         connects,
	} {
		if !strings.Contains(line, "-host") && !strings.Contains(line, "127.0.0.1:1") {
			line += to
		} else if !strings.Contains(line, "a,b") {
			line += " --mysql-port=1"
		}
		var told bytes.Buffer
		code := run(append([]string{"load"}, strings.Fields(line)...), &terminal{in: strings.NewReader(""), out: &told, err: &told})
		wanted := exitInvalid
		if want == connects || strings.HasPrefix(want, "ignored") {
			wanted = exitFailed
		}
		if code != wanted || !strings.Contains(told.String(), want) {
			t.Errorf("tare load %s: exit code %d\n%s\nwant %q", line, code, told.String(), want)
		}
	}
}

// TestOptionsOfSysbench: load knows every option that sysbench 1.0.20 and its scripts print in their help.
func TestOptionsOfSysbench(t *testing.T) {
	load, _, err := rootCommand(&terminal{}).Find([]string{"load"})
	if err != nil {
		t.Fatal(err)
	}
	options := strings.Fields(`threads events time forced-shutdown thread-stack-size rate report-interval report-checkpoints debug validate help
		config-file tx-rate max-requests max-time num-threads rand-type rand-spec-iter rand-spec-pct rand-spec-res rand-seed rand-pareto-h verbosity
		percentile histogram db-driver db-ps-mode db-debug mysql-host mysql-port mysql-socket mysql-user mysql-password mysql-db mysql-ssl mysql-ssl-cipher
		mysql-compression mysql-debug mysql-ignore-errors mysql-dry-run pgsql-host pgsql-port pgsql-user pgsql-password pgsql-db
		auto_inc create_secondary delete_inserts distinct_ranges index_updates mysql_storage_engine non_index_updates order_ranges pgsql_variant point_selects
		range_selects range_size secondary simple_ranges skip_trx sum_ranges table_size tables random_points number_of_ranges delta`)
	load.InitDefaultHelpFlag()
	for _, name := range options {
		if load.Flags().Lookup(name) == nil {
			t.Errorf("--%s", name)
		}
	}
}
