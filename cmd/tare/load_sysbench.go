package main

// What a command line of sysbench has that tare does not: options with other names, options that change nothing
// here, and those that tare cannot do, each with a sentence that says what to do.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tarebench/tare/internal/workload"
)

// sysbenchNames are sysbench's earlier names of options (sysbench 1.0.20, sysbench.c).
func sysbenchNames() map[string]string {
	return map[string]string{"tx-rate": "rate", "max-requests": "events", "max-time": "time", "num-threads": "threads"}
}

// sysbenchOption is an option of sysbench that tare load has only to answer for it.
type sysbenchOption struct {
	name, unset string // unset is the value that asks for nothing
	alone       bool   // it can stand without a value
	refused     string // what to do instead; "" where the option changes nothing here
}

// sysbenchOptions are the options of sysbench 1.0 and 1.1, of its scripts and of Percona's sysbench-tpcc that tare load
// does not have.
func sysbenchOptions() []sysbenchOption {
	const certificate = "tare logs in with a password; leave it out"
	const postgres = "tare measures MySQL and MariaDB; leave the options of PostgreSQL out"
	const earlier = "options of sysbench 0.5 have other names since 1.0: write for example `tare load --tables=10 --table-size=100000 oltp_read_write run`"
	const tpcc = "tare has a workload tpcc of its own (docs/load.md): write `tare load --scale=10 tpcc run`"
	all := []sysbenchOption{
		{name: "db-driver", unset: "mysql", refused: "tare measures MySQL and MariaDB; leave it out, or write mysql"},
		{name: "mysql-dry-run", unset: "off", alone: true, refused: "tare has no run without a server; leave it out"},
		{name: "mysql-compression", unset: "off", alone: true, refused: "tare does not compress connections; leave it out"},
		{name: "mysql-compression-algorithms", refused: "tare does not compress connections; leave it out"},
		{name: "mysql-ssl-cipher", refused: "tare negotiates the cipher; leave it out, and choose the ciphers in the server's configuration"},
		{name: "mysql-ssl-key", refused: certificate}, {name: "mysql-ssl-cert", refused: certificate},
		{name: "report-checkpoints", refused: "tare prints an interval with --report-interval=N and the whole at the end; leave it out"},
		{name: "config-file", refused: "write the options of the file into the command line"},
		{name: "test", refused: earlier},
		{name: "bulk-inserts", refused: "name the workload: `tare load bulk_insert run`"},
		{name: "trx-level", refused: tpcc}, {name: "use-fk", refused: tpcc}, {name: "force-pk", refused: tpcc}, {name: "purge-interval", refused: tpcc},
	}
	for _, name := range []string{"thread-stack-size", "thread-init-timeout", "verbosity", "luajit-cmd", "create-table-options", "warmup-seed"} {
		all = append(all, sysbenchOption{name: name})
	}
	for _, name := range []string{"debug", "validate", "db-debug", "mysql-debug", "rand-init", "init-rng"} {
		all = append(all, sysbenchOption{name: name, unset: "off", alone: true})
	}
	for _, name := range []string{"host", "port", "user", "password", "db", "variant", "sslmode"} {
		all = append(all, sysbenchOption{name: "pgsql-" + name, refused: postgres})
	}
	for _, name := range []string{"table-size", "tables-count", "table-name", "test-mode", "read-only", "skip-trx", "point-selects", "simple-ranges", "sum-ranges", "order-ranges",
		"distinct-ranges", "index-updates", "non-index-updates", "range-size", "dist-type", "auto-inc", "secondary", "reconnect-mode"} {
		all = append(all, sysbenchOption{name: "oltp-" + name, alone: name == "read-only" || name == "skip-trx", refused: earlier})
	}
	return all
}

// sysbenchValue is the value of such an option.
type sysbenchValue struct {
	sysbenchOption
	ignored *[]string
}

// Type is what help would print, which does not show the option.
func (v sysbenchValue) Type() string { return "string" }

func (v sysbenchValue) String() string { return v.unset }

// Set takes a value that asks for nothing, notes one that changes nothing, and refuses every other.
func (v sysbenchValue) Set(s string) error {
	switch {
	case s == v.unset && v.unset != "":
	case v.unset == "off" && slices.Contains([]string{"0", "no", "false"}, s):
	case v.refused != "":
		return errors.New(v.refused)
	default:
		*v.ignored = append(*v.ignored, "--"+v.name)
	}
	return nil
}

// sysbenchTLS is --mysql-ssl: on and off in sysbench 1.0, a mode of libmysqlclient's in 1.1.
type sysbenchTLS struct {
	onOff
	mode *string
}

// Set reads on, off or a mode.
func (v sysbenchTLS) Set(s string) error {
	modes := map[string]string{"disabled": "off", "required": "required", "verify-ca": "verify-ca", "verify-identity": "verify-identity"}
	if mode := modes[strings.ReplaceAll(strings.ToLower(s), "_", "-")]; mode != "" {
		*v.mode = mode
		return nil
	}
	if v.onOff.Set(s) != nil {
		return errors.New("write on or off, or required, verify-ca or verify-identity")
	}
	return nil
}

// sysbenchFlags adds the options, hidden: help has those that do something.
func (o *loadOptions) sysbenchFlags(f *pflag.FlagSet) {
	for _, option := range sysbenchOptions() {
		flag := f.VarPF(sysbenchValue{option, &o.ignored}, option.name, "", "an option of sysbench")
		flag.Hidden = true
		if option.alone {
			flag.NoOptDefVal = "on"
		}
	}
}

// workloadOf is the workload that an argument of sysbench names: itself, or the one of a Lua script that sysbench
// brings. Another script is refused, because tare does not run it.
func workloadOf(argument string) (string, error) {
	name := strings.TrimSuffix(filepath.Base(argument), ".lua")
	if name == argument || workload.IsFile(argument) {
		if slices.Contains([]string{"cpu", "memory", "fileio", "threads", "mutex"}, argument) {
			return "", fmt.Errorf("%s is a test of sysbench without a database; run it with sysbench", argument)
		}
		return argument, nil
	}
	dir := filepath.ToSlash(filepath.Dir(argument))
	_, missing := os.Stat(argument)
	shipped := missing != nil || strings.HasSuffix(dir, "share/sysbench") || strings.HasSuffix(dir, "src/lua")
	switch own := slices.Contains(workload.ProgramNames(), name); {
	case name == "tpcc":
		return "", errors.New("tpcc.lua is a script of sysbench-tpcc, whose tables are others; name tare's own workload: tare load --scale=10 tpcc prepare")
	case own && shipped:
		return name, nil
	case own:
		return "", fmt.Errorf("tare does not run the script %s; for the workload that sysbench brings write %s, and for a script of your own use engine: sysbench in an experiment (docs/spec.md)", argument, name)
	}
	return "", fmt.Errorf("tare load does not run the script %s; write the workload as a file (docs/workloads.md), or use engine: sysbench in an experiment (docs/spec.md)", argument)
}

// arguments are the workload and the command of a command line.
func (o *loadOptions) arguments(a []string) (name, command string, err error) {
	const usual = "prepare, run, check or cleanup"
	words := 2 // workload and command
	if o.file != "" {
		words = 1
	}
	if len(a) > 0 && strings.Contains(a[0], "://") || len(a) == words+1 {
		if o.file != "" && !isAddress(a[0]) {
			return "", "", fmt.Errorf("%s is not the address of a server, such as HOST:PORT, and --workload names the workload", a[0])
		}
		if err := o.at(a[0]); err != nil {
			return "", "", err
		}
		a = a[1:]
	}
	if o.file != "" {
		a = append([]string{o.file}, a...)
	}
	switch {
	case len(a) == 0:
		return "", "", errors.New("no workload given; write for example tare load oltp_read_write run")
	case len(a) == 1 && slices.Contains(loadCommands(), a[0]):
		return "", "", fmt.Errorf("no workload given; write for example tare load oltp_read_write %s", a[0])
	case len(a) == 1:
		return "", "", fmt.Errorf("no command given; write tare load %s and one of %s", a[0], usual)
	case len(a) > 2:
		return "", "", fmt.Errorf("unknown argument %q; write tare load WORKLOAD and one of %s", a[2], usual)
	case a[1] == "prewarm":
		return "", "", errors.New("tare load has no prewarm; use --warmup-time with run")
	case !slices.Contains(loadCommands(), a[1]):
		return "", "", fmt.Errorf("unknown command %q; use %s", a[1], usual)
	}
	name, err = workloadOf(a[0])
	return name, a[1], err
}

// at takes the address of the server from an argument.
func (o *loadOptions) at(address string) error {
	server := liveOptions{address: address, user: o.address.User, passwordFile: o.passwordFile, tls: o.mode, ca: o.address.CA}
	a, err := server.server()
	if err != nil {
		return err
	}
	if a.Schema == "" {
		a.Schema = o.address.Schema
	}
	if a.Password == "" {
		a.Password = o.address.Password
	}
	u, err := serverAddress(address)
	if err != nil {
		return err
	}
	if mode := u.Query().Get("tls"); mode != "" {
		o.mode = mode
	}
	o.address = a
	return nil
}
