package loadgen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// options are the names of options, with - for _ as sysbench takes both. A nil
// set is that of a script that declares none: it takes any.
type options map[string]bool

func (o options) has(name string) bool { return o == nil || o[dashed(name)] }

func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// ours are options that a Job's fields set, or that would change what the
// figures mean. Options may not name them.
func ours() []string {
	return []string{
		"threads", "num-threads", "time", "max-time", "events", "max-requests", "rate", "tx-rate",
		"warmup-time", "report-interval", "report-checkpoints", "forced-shutdown",
		"histogram", "percentile", "rand-seed", "config-file", "tables", "table-size",
		"db-driver", "mysql-host", "mysql-port", "mysql-socket", "mysql-user", "mysql-password", "mysql-db",
		"mysql-ssl", "mysql-ssl-ca", "help", "version", "test", "debug", "verbosity",
	}
}

// ErrOtherEngine is a workload that sysbench does not have.
var ErrOtherEngine = errors.New("the built-in engine's")

// Check says everything that keeps the job from running.
func (s sysbench) Check(ctx context.Context, j Job) []error {
	if workload.IsFile(j.Workload) {
		return []error{fmt.Errorf("workload files are %w; write engine: tare (sysbench takes its own workloads and Lua scripts)", ErrOtherEngine)}
	}
	if w, ok := workload.Find(j.Workload); ok && w.BuiltIn {
		return []error{fmt.Errorf("workload %s is %w; write engine: tare", w.Name, ErrOtherEngine)}
	}
	errs := append(checkNumbers(j), checkServer(j)...)
	if err := s.checkVersion(ctx); err != nil {
		return append(errs, err) // nothing more can be asked
	}
	help, err := s.ask(ctx, "", "--help")
	if err != nil {
		return append(errs, fmt.Errorf("ask sysbench for its options: %w", err))
	}
	if j.Server.TLS != "" && !strings.Contains(help, "--mysql-ssl=STRING") {
		errs = append(errs, noTLS(j.Server.TLS))
	}
	if err := checkWorkload(j.Workload); err != nil {
		return append(errs, err)
	}
	known, err := s.workloadOptions(ctx, j.Workload)
	if err != nil {
		return append(errs, err)
	}
	return append(errs, checkOptions(j, known, optionsIn(help))...)
}

// noTLS says why TLS cannot be had. In 1.0, and in 1.1 built with MariaDB's
// client library (Debian's, Ubuntu's), --mysql-ssl is a switch: 1.0 then wants a
// client's certificate and key in the working directory, and neither verifies
// whom it talks to (mysql_drv_real_connect, drv_mysql.c).
func noTLS(mode string) error {
	return fmt.Errorf("tls %s: this sysbench cannot use it: versions before 1.1, and builds with MariaDB's client library (Debian, Ubuntu), do not verify the server; use load: {engine: tare}, a sysbench 1.1 built with MySQL's client library, or tls: off on a trusted network", mode)
}

func checkNumbers(j Job) []error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	whole := func(d time.Duration) bool { return d >= 0 && d%time.Second == 0 }
	check(j.Threads >= 1, "threads %d: at least 1", j.Threads)
	check(j.PrepareThreads >= 0, "prepare threads %d: at least 1, or 0 for 1", j.PrepareThreads)
	check(j.Tables >= 0, "tables %d: at least 1, or 0 for the workload's own number", j.Tables)
	check(j.Rows >= 0, "rows %d: at least 1, or 0 for the workload's own number", j.Rows)
	check(j.Rows <= math.MaxInt32, "rows %d: sysbench takes at most %d", j.Rows, math.MaxInt32)
	check(j.Rate >= 0 && j.Rate <= math.MaxInt32 && j.Rate == math.Trunc(j.Rate),
		"rate %v: sysbench takes whole transactions per second, or 0 for a closed loop", j.Rate)
	check(j.Limit == 0, "limit %v: sysbench cannot limit a closed loop; use engine: tare", j.Limit)
	check(j.Reconnect == 0, "reconnect delay %v: sysbench has none; use engine: tare", j.Reconnect)
	check(whole(j.Warmup), "warmup %v: sysbench takes whole seconds", j.Warmup)
	check(whole(j.Measure) && j.Measure > 0, "measure %v: sysbench takes whole seconds, at least 1s", j.Measure)
	check(j.Percentile >= 0 && j.Percentile <= 100 && j.Percentile == math.Trunc(j.Percentile),
		"percentile %v: sysbench takes whole percentiles from 1 to 100; the histogram in the record gives any other", j.Percentile)
	return errs
}

// checkServer has nothing to say of a Job without a server: before a run begins,
// the address and directory of its trials do not exist.
func checkServer(j Job) []error {
	if j.Server == (mysqld.Address{}) && j.Dir == "" {
		return nil
	}
	var errs []error
	if j.Dir == "" {
		errs = append(errs, fmt.Errorf("sysbench needs a private directory for its options"))
	}
	if j.Server.User == "" {
		errs = append(errs, fmt.Errorf("server: no user"))
	}
	if j.Server.Socket == "" && j.Server.Host == "" {
		errs = append(errs, fmt.Errorf("server: neither a socket nor a host"))
	}
	if _, ok := tlsModes()[j.Server.TLS]; !ok && j.Server.TLS != "" {
		errs = append(errs, fmt.Errorf("tls %s: one of required, verify-ca, verify-identity", j.Server.TLS))
	}
	if strings.HasPrefix(j.Server.TLS, "verify-") && j.Server.CA == "" {
		errs = append(errs, fmt.Errorf("tls %s: sysbench does not know the system's certificates: name the file with the server's", j.Server.TLS))
	}
	if _, err := configText(j.Server); err != nil {
		errs = append(errs, err)
	}
	return errs
}

func checkWorkload(name string) error {
	if !workload.IsScript(name) {
		if _, ok := workload.Find(name); !ok {
			return fmt.Errorf("workload %q: one of %s, or the path of a Lua script", name, strings.Join(workload.Names(), ", "))
		}
		return nil
	}
	f, err := os.Open(scriptOf(name))
	if err != nil {
		return fmt.Errorf("workload: %w", err)
	}
	return f.Close()
}

var optionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func checkOptions(j Job, known, general options) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(j.Options)) {
		switch {
		case !optionName.MatchString(name):
			errs = append(errs, fmt.Errorf("option %q: not the name of an option", name))
		case slices.Contains(ours(), dashed(name)):
			errs = append(errs, fmt.Errorf("option %s: tare sets this one itself, from the load, the data or the server", name))
		case strings.HasPrefix(dashed(name), "pgsql-") || !known.has(name) && !general.has(name):
			errs = append(errs, fmt.Errorf("option %s: workload %s has no such option", name, j.Workload))
		case strings.ContainsRune(j.Options[name], 0):
			errs = append(errs, fmt.Errorf("option %s: its value holds a NUL byte", name))
		}
	}
	if j.Tables > 0 && !known.has("tables") {
		errs = append(errs, fmt.Errorf("tables %d: workload %s has no option tables", j.Tables, j.Workload))
	}
	if j.Rows > 0 && !known.has("table-size") {
		errs = append(errs, fmt.Errorf("rows %d: workload %s has no option table_size", j.Rows, j.Workload))
	}
	return errs
}

// askWithin bounds a question to sysbench about itself.
const askWithin = 20 * time.Second

// ask runs sysbench for what it says about itself.
func (s sysbench) ask(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	var out bytes.Buffer
	err := s.start(ctx, Job{Workload: name}, args, &out)
	return out.String(), err
}

var versionLine = regexp.MustCompile(`(?m)^sysbench v?(\d+\.\d+)`)

// checkVersion finds the program and refuses one that is too old.
func (s sysbench) checkVersion(ctx context.Context) error {
	out, err := s.ask(ctx, "", "--version")
	if err != nil {
		return fmt.Errorf("find sysbench: %w", err)
	}
	m := versionLine.FindStringSubmatch(out)
	if m == nil {
		return fmt.Errorf("find sysbench: %s --version says %.60q", s.program, out)
	}
	if strings.HasPrefix(m[1], "0.") {
		return fmt.Errorf("find sysbench: %s is version %s, and 1.0 or newer is needed", s.program, m[1])
	}
	return nil
}

var optionLine = regexp.MustCompile(`(?m)^  --([a-z][a-z0-9_-]*)`)

func optionsIn(help string) options {
	found := options{}
	for _, m := range optionLine.FindAllStringSubmatch(help, -1) {
		found[dashed(m[1])] = true
	}
	return found
}

// workloadOptions asks the workload itself which options it has.
func (s sysbench) workloadOptions(ctx context.Context, name string) (options, error) {
	out, err := s.ask(ctx, name, scriptOf(name), "help")
	switch {
	case err == nil:
		return optionsIn(out), nil
	case strings.Contains(out, "does not implement the 'help' command"):
		return nil, nil // declares no options, like bulk_insert
	}
	last := &tail{last: []byte(out)}
	return nil, fmt.Errorf("ask sysbench for the options of %s: %w%s", name, err, last.why())
}
