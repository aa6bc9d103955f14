package loadgen

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
)

func goodJob() Job {
	return Job{
		Workload: "oltp_read_only", Tables: 2, Rows: 1000, Threads: 2,
		Warmup: time.Second, Measure: 3 * time.Second, Dir: "/nowhere/yet",
		Server: mysqld.Address{Socket: "/run/s", User: "root"},
	}
}

// TestCheck: each mistake is found, named, and found together with another.
func TestCheck(t *testing.T) {
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("no sysbench on this machine")
	}
	engine := Sysbench("")
	if errs := engine.Check(t.Context(), goodJob()); len(errs) > 0 {
		t.Fatal(errs)
	}
	option := func(name string) func(*Job) { return func(j *Job) { j.Options = map[string]string{name: "1"} } }
	for want, change := range map[string]func(*Job){
		"threads 0: at least 1":                            func(j *Job) { j.Threads = 0 },
		"tables -1: at least 1":                            func(j *Job) { j.Tables = -1 },
		"rows -5: at least 1":                              func(j *Job) { j.Rows = -5 },
		"rows 3000000000: sysbench takes at most":          func(j *Job) { j.Rows = 3e9 },
		"rate 0.5: sysbench takes whole":                   func(j *Job) { j.Rate = 0.5 },
		"rate NaN: sysbench takes whole":                   func(j *Job) { j.Rate = math.NaN() },
		"limit 5: sysbench cannot limit a closed loop":     func(j *Job) { j.Limit = 5 },
		"warmup 1.5s: sysbench takes whole":                func(j *Job) { j.Warmup = 1500 * time.Millisecond },
		"measure 0s: sysbench takes whole seconds, at":     func(j *Job) { j.Measure = 0 },
		"percentile 99.9: sysbench takes whole":            func(j *Job) { j.Percentile = 99.9 },
		"percentile 101: sysbench takes whole":             func(j *Job) { j.Percentile = 101 },
		"sysbench needs a private directory":               func(j *Job) { j.Dir = "" },
		"server: no user":                                  func(j *Job) { j.Server.User = "" },
		"server: neither a socket nor a host":              func(j *Job) { j.Server.Socket = "" },
		"tls sure: one of":                                 func(j *Job) { j.Server.TLS = "sure" },
		"tls verify-ca: sysbench does not know":            func(j *Job) { j.Server.TLS = "verify-ca" },
		"mysql-password holds a line break":                func(j *Job) { j.Server.Password = "a\nb" },
		`workload "oltp": one of oltp_read_only, `:         func(j *Job) { j.Workload = "oltp" },
		"workload: open /no/such.lua":                      func(j *Job) { j.Workload = "/no/such.lua" },
		"<name> or '...' expected near":                    func(j *Job) { j.Workload = "testdata/broken.lua" },
		"tables 2: workload testdata/select.lua has no":    func(j *Job) { j.Workload = "testdata/select.lua" },
		"option point-select: workload oltp_read_only has": option("point-select"),
		"option mysql_password: tare sets this one":        option("mysql_password"),
		"option time: tare sets this one":                  option("time"),
		"option pgsql-host: workload oltp_read_only has":   option("pgsql-host"),
		`option "a=b": not the name of an option`:          option("a=b"),
		`option "": not the name of an option`:             option(""),
	} {
		t.Run(want, func(t *testing.T) {
			j := goodJob()
			change(&j)
			errs := engine.Check(t.Context(), j)
			if !strings.Contains(errors.Join(errs...).Error(), want) {
				t.Errorf("got %v", errs)
			}
			for _, err := range errs {
				if strings.Contains(err.Error(), "a\nb") {
					t.Error("the password is in an error")
				}
			}
		})
	}
	j := goodJob()
	j.Threads, j.Measure, j.Workload = 0, 0, "oltp"
	if errs := engine.Check(t.Context(), j); len(errs) != 3 {
		t.Errorf("of three mistakes these are found: %v", errs)
	}
	for _, name := range []string{"skip-trx", "skip_trx", "rand-type", "mysql-ignore-errors", "mysql_storage_engine"} {
		j := goodJob()
		j.Options = map[string]string{name: "x"}
		if errs := engine.Check(t.Context(), j); len(errs) > 0 {
			t.Errorf("option %s: %v", name, errs)
		}
	}
}

func TestCheckFindsNoProgram(t *testing.T) {
	for path, want := range map[string]string{"/no/such/sysbench": "no such file", "/bin/true": "--version says"} {
		if errs := Sysbench(path).Check(t.Context(), goodJob()); len(errs) != 1 || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s: %v; want %q", path, errs, want)
		}
	}
	if _, err := New("sysbenhc", ""); err == nil || !strings.Contains(err.Error(), "there is sysbench") {
		t.Error(err)
	}
	if e, err := New("sysbench", ""); err != nil || e.Name() != "sysbench" {
		t.Error(e, err)
	}
}

// TestConfigLine: what sysbench cannot read is refused, without telling what it
// was. TestSysbenchMeasures shows that it reads the rest.
func TestConfigLine(t *testing.T) {
	for value, want := range map[string]string{
		"simple":                   "p=\"simple\"\n",
		"a b#c=d,e":                "p=\"a b#c=d,e\"\n",
		"it's":                     "p=\"it's\"\n",
		`say "x"`:                  "p='say \"x\"'\n",
		`both'"quotes`:             "p=both'\"quotes\n",
		`blank '"`:                 "",
		`'"first`:                  "",
		`#'"`:                      "",
		`a,'"`:                     "",
		"line\nbreak":              "",
		"nul\x00":                  "",
		strings.Repeat("long", 64): "",
	} {
		got, err := configLine("p", value)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v", value, got, err)
		}
		if err != nil && strings.Contains(err.Error(), value) {
			t.Errorf("the error tells the value: %v", err)
		}
	}
}

func TestSeed(t *testing.T) {
	for in, want := range map[int64]int64{0: 0, 1: 1, math.MaxInt32: math.MaxInt32, math.MaxInt32 + 1: 2, math.MaxInt64: 2} {
		if got := seed(in); got != want {
			t.Errorf("seed(%d) = %d, want %d", in, got, want)
		}
	}
	for _, in := range []int64{-1, math.MinInt64} {
		if got := seed(in); got < 1 || got > math.MaxInt32 {
			t.Errorf("seed(%d) = %d is not a seed of sysbench's", in, got)
		}
	}
}

// TestArrivalsOfSysbench: with a rate, sysbench draws other arrivals for another number;
// without one, its statements are those of the seed.
func TestArrivalsOfSysbench(t *testing.T) {
	for _, c := range []struct {
		j    Job
		want int64
	}{
		{Job{Seed: 7, Arrivals: 256}, 7},
		{Job{Seed: 7, Arrivals: 256, Rate: 100}, 263},
		{Job{Seed: 7, Arrivals: 512, Rate: 100}, 519},
		{Job{Arrivals: 256, Rate: 100}, 0},
	} {
		if got := randSeed(c.j); got != c.want {
			t.Errorf("%+v: %d, want %d", c.j, got, c.want)
		}
	}
}

// TestOutcomes: what the logs of runs that went wrong are taken for.
func TestOutcomes(t *testing.T) {
	died := errors.New("exit status 1")
	for name, want := range map[string]struct {
		outcome record.Outcome
		reason  string
	}{
		"server-killed":        {record.Starved, "returned error 2013 (Lost connection"},
		"connection-lost":      {record.Starved, "returned error 2013 (Lost connection"},
		"no-server":            {record.Starved, "unable to connect to MySQL server on socket '/run/mysqld/zz': error 2002"},
		"init-timeout":         {record.Starved, "Worker threads failed to initialize within 30 seconds!"},
		"queue-full":           {record.Starved, "The event queue is full."},
		"forced-shutdown":      {record.Starved, "forcing shutdown"},
		"wrong-password":       {record.Failed, "error 1045: Access denied"},
		"table-missing":        {record.Failed, "mysql_stmt_prepare() failed: MySQL error: 1146"},
		"no-script":            {record.Failed, "Cannot find benchmark 'nothere'"},
		"usage":                {record.Failed, "exit status 1"},
		"engine-crashed":       {record.Failed, "exit status 1"},
		"killed":               {record.Failed, "exit status 1"},
		"oltp_read_write":      {record.Measured, ""},
		"oltp_write_only":      {record.Measured, ""},
		"deadlocks":            {record.Measured, ""},
		"percentile0":          {record.Measured, ""},
		"oltp_delete":          {record.Measured, ""},
		"select_random_ranges": {record.Measured, ""},
	} {
		f, err := os.Open("testdata/sysbench-1.0.20/" + name + ".log")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		o := observed{exit: died}
		if want.outcome == record.Measured {
			o.exit = nil
		}
		o.log, err = parseSysbench(name, f, sink{
			interval: func(i record.Interval) error { o.measured.add(i); return nil },
			event:    func(record.Event) error { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		o.window = o.log.window(len(o.log.checkpoints) > 0, &o.measured)
		outcome, reason, err := o.outcome()
		if outcome != want.outcome || !strings.Contains(reason, want.reason) || (err != nil) != (outcome == record.Failed) {
			t.Errorf("%s: %v, %q, %v; want %v, %q", name, outcome, reason, err, want.outcome, want.reason)
		}
		o.overdue = true
		if outcome, _, err := o.outcome(); outcome != record.Starved || err != nil {
			t.Errorf("%s, overdue: %v, %v", name, outcome, err)
		}
	}
}

// stubborn stands in for a sysbench that hangs: it ignores SIGTERM, and so does
// a child of its own. An interval is handed on when the next one comes.
const stubborn = `#!/bin/sh
case "$*" in *help) exit 0 ;; esac
trap '' TERM
sleep 300 &
echo $! > "$CHILD"
echo 'sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)'
echo '[ 1s ] thds: 2 tps: 1.00 qps: 1.00 (r/w/o: 1.00/0.00/0.00) lat (ms,95%): 1.00 err/s: 0.00 reconn/s: 0.00'
echo '[ 2s ] thds: 2 tps: 1.00 qps: 1.00 (r/w/o: 1.00/0.00/0.00) lat (ms,95%): 1.00 err/s: 0.00 reconn/s: 0.00'
sleep 300
`

func TestStubbornEngineIsKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sysbench")
	if err := os.WriteFile(path, []byte(stubborn), 0o755); err != nil {
		t.Fatal(err)
	}
	j := goodJob()
	j.Dir, j.Warmup, j.Env = filepath.Join(dir, "private"), 0, []string{"CHILD=" + filepath.Join(dir, "child")}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("the user pressed Ctrl-C")
	var begin time.Time
	outcome, _, err := Sysbench(path).Run(ctx, j, func(l record.Line) error {
		if l.Interval != nil && begin.IsZero() { // the signal is ignored, and the child's number written
			begin = time.Now()
			cancel(cause)
		}
		return nil
	})
	if outcome != record.Failed || !errors.Is(err, cause) {
		t.Errorf("%v, %v", outcome, err)
	}
	if took := time.Since(begin); begin.IsZero() || took < killAfter {
		t.Errorf("it took %v", took)
	}
	text, err := os.ReadFile(filepath.Join(dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) { // init has to reap it
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) {
			return
		}
	}
	t.Errorf("its child %d still runs", pid)
}

func zombie(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return strings.Contains(string(stat), ") Z ")
}
