package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/spf13/pflag"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// loadOptions are the flags of `tare load`, by sysbench's names where it has them.
type loadOptions struct {
	workload workload.Options
	file     string // or name, of the workload, in the argument's place
	address  mysqld.Address
	seed     uint64

	time, warmup, interval time.Duration
	events                 int64
	rate, limit            float64
	schedule               string
	arrivals               string
	percentile             float64
	histogram              bool
	reportJSON             string
	shutdown               string
	ignore                 string
	onError                string
	loops, dials           int
	psMode, passwordFile   string
	ssl                    bool
	mode                   string // of TLS, as it was written
	generators, generator  int
	run                    string
	verify                 bool
	threads                []int    // each has a run of its own
	ignored                []string // options of sysbench that change nothing here
}

func newLoadOptions() *loadOptions {
	return &loadOptions{workload: workload.Defaults(), generators: 1}
}

// onOff is a boolean that takes sysbench's on and off, too.
type onOff struct{ to *bool }

func (v onOff) Type() string { return "on|off" }
func (v onOff) String() string {
	if v.to != nil && *v.to {
		return "on"
	}
	return "off"
}
func (v onOff) Set(s string) (err error) {
	*v.to, err = workload.ParseSwitch(s)
	return err
}

func (o *loadOptions) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	o.serverFlags(f)
	group(f, "Server")
	o.runFlags(f)
	group(f, "Load and measurement")
	o.reportFlags(f)
	group(f, "Output")
	o.shareFlags(f)
	group(f, "Distributed load")
	o.workloadFlags(f)
	group(f, "Workload")
	o.sysbenchFlags(f)
}

func boolFlag(f *pflag.FlagSet, to *bool, name, help string) {
	f.VarPF(onOff{to}, name, "", help).NoOptDefVal = "on"
}

func (o *loadOptions) serverFlags(f *pflag.FlagSet) {
	a := &o.address
	f.StringVar(&a.Host, "mysql-host", "localhost", "host of the server")
	portFlag(f, &a.Port, "mysql-port", 3306, "port of the server")
	f.StringVar(&a.Socket, "mysql-socket", "", "Unix socket of the server, instead of host and port")
	f.StringVar(&a.User, "mysql-user", "sbtest", "user to log in as")
	f.StringVar(&a.Password, "mysql-password", "", "password, visible to other users of this machine; better use --mysql-password-file or MYSQL_PWD")
	f.StringVar(&o.passwordFile, "mysql-password-file", "", "file with the password")
	f.StringVar(&a.Schema, "mysql-db", "sbtest", "database (schema)")
	f.VarPF(sysbenchTLS{onOff{&o.ssl}, &o.mode}, "mysql-ssl", "", "use TLS without verifying the certificate (same as --mysql-ssl-mode=required)").NoOptDefVal = "on"
	f.StringVar(&o.mode, "mysql-ssl-mode", "", "TLS mode: verify-identity, verify-ca, required or off (default verify-identity, and off for a server on this machine)")
	f.StringVar(&a.CA, "mysql-ssl-ca", "", "file with the trusted CA certificates")
	f.StringVar(&o.ignore, "mysql-ignore-errors", "1213,1020,1205", "error codes to retry, or all")
	f.StringVar(&o.psMode, "db-ps-mode", "auto", "prepared statements: auto, or disable for the text protocol")
}

func (o *loadOptions) runFlags(f *pflag.FlagSet) {
	countsFlag(f, &o.threads, "threads", []int{1}, "connections; several numbers separated by commas are loads one after another")
	spanFlag(f, &o.time, "time", 10*time.Second, "how long to measure, 0 for no limit")
	spanFlag(f, &o.warmup, "warmup-time", 0, "load before the measurement")
	f.Int64Var(&o.events, "events", 0, "stop after this many transactions, 0 for no limit")
	f.StringVar(&o.shutdown, "forced-shutdown", "10s", "how long to wait for the last transactions, or off")
	rateFlag(f, &o.rate, "rate", 0, "open loop: transactions per second; 0 for a closed loop")
	numberFlag(f, &o.limit, "limit", 0, "closed loop: the most transactions per second to begin, to protect a server that others use; 0 for no limit")
	f.StringVar(&o.schedule, "rate-schedule", "", "open loop: consecutive rates, as RATE:DURATION or FROM-TO:DURATION, separated by commas")
	f.StringVar(&o.arrivals, "arrivals", "poisson", "open loop: arrival process, poisson or constant")
	f.StringVar(&o.onError, "on-error", "continue", "after errors that are not ignored: continue (with back-off) or stop")
	countFlag(f, &o.loops, "loops", 0, "event loops, 0 to choose by connections and CPUs")
	countFlag(f, &o.dials, "connect-at-once", 16, "connections to open at a time")
	o.verify = true
	boolFlag(f, &o.verify, "verify", "prepare: read all rows back and compare checksums; run of tpcc: check the consistency conditions")
}

func (o *loadOptions) reportFlags(f *pflag.FlagSet) {
	spanFlag(f, &o.interval, "report-interval", 0, "time between progress lines, 0 for none")
	numberFlag(f, &o.percentile, "percentile", 95, "latency percentile to print, 1 to 100, or 0 for none")
	boolFlag(f, &o.histogram, "histogram", "print the latency histogram, on at most 30 lines")
	f.StringVar(&o.reportJSON, "report-json", "", "write the report as JSON to this file; - writes only JSON to standard output")
}

func (o *loadOptions) shareFlags(f *pflag.FlagSet) {
	countFlag(f, &o.generators, "generators", 1, "number of load generators; they start together and split --rate, --limit and the connection numbers")
	countFlag(f, &o.generator, "generator", 0, "number of this generator, from 0")
	f.StringVar(&o.run, "generators-run", "", "name that all generators of one load share")
}

func (o *loadOptions) workloadFlags(f *pflag.FlagSet) {
	f.StringVar(&o.file, "workload", "", "workload file (docs/workloads.md), instead of the argument WORKLOAD")
	for _, w := range o.workload.Fields() {
		switch {
		case w.Int != nil:
			countFlag(f, w.Int, w.Name, *w.Int, w.Help)
		case w.Float != nil:
			numberFlag(f, w.Float, w.Name, *w.Float, w.Help)
		case w.Bool != nil:
			boolFlag(f, w.Bool, w.Name, w.Help)
		default:
			f.StringVar(w.Text, w.Name, *w.Text, w.Help)
		}
	}
	f.Uint64Var(&o.seed, "rand-seed", 0, "random seed for rows and statements; 0 seeds statements from the clock")
}

// hidePassword overwrites a password given as an option in the process list:
// /proc/PID/cmdline shows the memory that os.Args point to.
func (o *loadOptions) hidePassword() {
	for i, arg := range os.Args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok && i > 0 {
			name, value = os.Args[i-1], arg
		}
		ok = strings.ReplaceAll(name, "_", "-") == "--mysql-password"
		if ok && value != "" {
			o.address.Password = strings.Clone(o.address.Password)
			secret := unsafe.Slice(unsafe.StringData(value), len(value))
			for k := range secret {
				secret[k] = 'x'
			}
		}
	}
}

// resolve completes the options and says what they have wrong.
func (o *loadOptions) resolve() error {
	if err := o.readPassword(); err != nil {
		return err
	}
	o.workload.TextProtocol = o.psMode == "disable"
	if o.ssl && o.mode == "" {
		o.mode = "required"
	}
	at, err := o.address.WithTLS(o.mode)
	if err != nil {
		return fmt.Errorf("--mysql-ssl-mode: %w", err)
	}
	o.address = at
	var errs []error
	for _, c := range []struct {
		ok   bool
		text string
	}{
		{len(o.threads) == 1 || o.generators == 1 && o.reportJSON == "", "--threads with several numbers has several reports: leave out --generators and --report-json"},
		{!strings.Contains(o.address.Host, ","), "--mysql-host has several servers; tare load loads one, and tare versus compares two"},
		{o.psMode == "auto" || o.psMode == "disable", "--db-ps-mode must be auto or disable"},
		{o.rate >= 0 && o.limit >= 0 && o.events >= 0, "rates and counts must not be negative"},
		{o.time > 0 || o.events > 0, "--time or --events must be above 0"},
		{o.percentile >= 0 && o.percentile <= 100, "--percentile must be 0 to 100; 0 prints none"},
		{o.onError == "continue" || o.onError == "stop", "--on-error must be continue or stop"},
		{o.arrivals == "poisson" || o.arrivals == "constant", "--arrivals must be poisson or constant"},
		{o.generators >= 1 && o.generator >= 0 && o.generator < o.generators, "--generator must be 0 to --generators less one"},
		{o.generators == 1 || o.run != "", "--generators needs --generators-run, a name for the load"},
		{o.rate == 0 || o.schedule == "", "--rate and --rate-schedule exclude each other"},
		{o.limit == 0 || o.rate == 0 && o.schedule == "", "--limit is for a closed loop: --rate and --rate-schedule say how many transactions become due"},
	} {
		if !c.ok {
			errs = append(errs, errors.New(c.text))
		}
	}
	return errors.Join(append(errs, o.workload.Check())...)
}

func (o *loadOptions) readPassword() error {
	if o.passwordFile != "" {
		p, err := mysqld.ReadPassword(o.passwordFile)
		if err != nil {
			return err
		}
		o.address.Password = p
	} else if o.address.Password == "" {
		o.address.Password = os.Getenv("MYSQL_PWD")
	}
	return nil
}

// job turns the options into what the event loops need.
func (o *loadOptions) job(p *workload.Program) (*loop.Job, error) {
	d, err := wire.NewDialer(o.address)
	if err != nil {
		return nil, err
	}
	j := &loop.Job{
		Program: p, Dial: d.Dial, Connections: o.workload.Threads, Loops: o.loops, Seed: o.seed,
		Warmup: o.warmup, Time: o.time, Events: o.events, Interval: o.interval, DialAtOnce: o.dials,
		Faults: loop.Policy{Stop: o.onError == "stop", FirstPause: 10 * time.Millisecond, LongestPause: time.Second},
		Limit:  o.limit / float64(o.generators),
	}
	if j.Seed == 0 {
		j.Seed = uint64(time.Now().UnixNano())
	}
	if j.Faults.Ignore, err = parseIgnored(o.ignore); err != nil {
		return nil, err
	}
	if o.shutdown != "off" {
		drain, ok := readSpan(o.shutdown)
		if !ok {
			return nil, fmt.Errorf("--forced-shutdown %q: write a duration such as 60s or 2m, a number of seconds, or off", o.shutdown)
		}
		j.Drain = drain
	} else {
		j.Drain = 24 * time.Hour
	}
	schedule, err := o.rates(j.Warmup + j.Time)
	if err != nil || schedule == nil {
		return j, err
	}
	all := pace.Poisson(schedule, j.Seed)
	if o.arrivals == "constant" {
		all = pace.Constant(schedule)
	}
	j.Arrivals = new(all.Part(o.generator, o.generators))
	return j, nil
}

// parseIgnored reads sysbench's list of codes; "all" is every code there can be.
func parseIgnored(list string) (map[uint16]bool, error) {
	codes := map[uint16]bool{}
	if list == "all" {
		for c := range 1 << 16 {
			codes[uint16(c)] = true
		}
		return codes, nil
	}
	for _, s := range strings.Split(list, ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		n, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("--mysql-ignore-errors: %q is not an error code", s)
		}
		codes[uint16(n)] = true
	}
	return codes, nil
}

// rates reads --rate or --rate-schedule; nil is the closed loop.
func (o *loadOptions) rates(whole time.Duration) (pace.Schedule, error) {
	if o.rate > 0 {
		if whole == 0 || o.time == 0 {
			whole = 365 * 24 * time.Hour
		}
		return pace.Schedule{{Length: whole, From: o.rate, To: o.rate}}, nil
	}
	if o.schedule == "" {
		return nil, nil
	}
	return pace.Parse(o.schedule)
}
