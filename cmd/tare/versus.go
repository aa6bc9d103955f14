package main

// `tare versus`: two servers that run already are compared without an experiment file.

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target/external"
)

//go:embed versus.yaml.tmpl
var versusExperiment string

// versusFile is the name of the experiment, which is no file: errors name the flag or the address that is wrong.
const versusFile = "versus.yaml"

// versusOptions are the flags of `tare versus`.
type versusOptions struct {
	run                runOptions
	user, passwordFile string
	workload           string
	threads            []int
	tables, rows       int
	rounds             int
	others             experiment.Percent
	time, warmup       time.Duration
	shared, print      bool
}

func versusVerb(t *terminal) *cobra.Command {
	o := versusDefaults()
	c := &cobra.Command{
		Use:   "versus A B | versus A",
		Short: "Compare two running servers, or one before and after a change",
		Long: "Send the same load to two servers that run already, in turn, and compare their throughput with a 95%\n" +
			"confidence interval: A is the baseline. tare needs neither root nor access to the servers' machines, and\n" +
			"changes nothing but its own tables.\n\n" +
			"A server is mysql://[USER@]HOST[:PORT][/SCHEMA][?tls=MODE&ca=FILE&password-file=FILE], or the path of a\n" +
			"Unix socket. Without SCHEMA, tare creates the schema tare_bench and drops it at the end. With SCHEMA, which\n" +
			"must exist and be empty, it creates its tables in it and drops all tables in it at the end: for an account\n" +
			"that may not create a schema. The password is read from a file, or from the environment variable MYSQL_PWD.\n\n" +
			"The servers take turns of less than half a second, in random order. While one has load, the other has none, and\n" +
			"is not frozen. Servers that turns cannot compare have one short window each in a round: servers with other\n" +
			"settings for flushing under a load that writes, or with long transactions. The report says which it was, and why.\n\n" +
			"With one address, the server is measured against itself by windows, which shows the noise. To compare it\n" +
			"before and after a change: run, change the server, run again, and compare both run directories with `tare compare`.",
		Example: "  tare versus mysql://bench@db1 mysql://bench@db2\n" +
			"  tare versus /run/mysqld/mysqld.sock mysql://bench@127.0.0.1:3307/scratch --workload oltp_read_only --rounds 20\n" +
			"  tare versus mysql://bench@db1 mysql://bench@db2 --print-spec > two.yaml\n" +
			"  tare versus mysql://bench@db1 --out runs/before",
		Args: args(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, a []string) error {
			if _, err := parseGates("versus", o.run.failIf); err != nil {
				return err
			}
			spec, err := versusSpec(a, o, "versus", "versus")
			if err != nil {
				return usage{err}
			}
			e, err := parseSpec(versusFile, spec) // flags and addresses are relative to the current directory
			if err != nil {
				return ofFlags(err, o)
			}
			if o.print {
				_, err := t.out.Write(e.Source)
				return err
			}
			return ofFlags(ofServers(startRun(c.Context(), t, e, o.run), e, a), o)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.user, "user", o.user, "user to log in as, where an address has none")
	f.StringVar(&o.passwordFile, "password-file", "", "file with the password of both users (default the environment variable MYSQL_PWD)")
	f.StringVar(&o.workload, "workload", o.workload, "what is sent: see tare list workloads, or a workload file (./FILE.yaml) with tables of its own")
	countsFlag(f, &o.threads, "threads", o.threads, "connections; several numbers separated by commas are measured one after another")
	countFlag(f, &o.tables, "tables", o.tables, "number of tables")
	countFlag(f, &o.rows, "table-size", o.rows, "rows of each table")
	roundsFlag(f, &o.rounds, o.rounds, "number of rounds: each measures both servers once")
	othersFlag(f, &o.others)
	spanFlag(f, &o.time, "time", o.time, "how long to measure each server, in each round")
	spanFlag(f, &o.warmup, "warmup-time", o.warmup, "load before the measurement, in each round")
	f.BoolVar(&o.shared, "shared", false, "measure beside other clients of the servers; without it, a server with other clients is refused")
	runFlags(c, &o.run)
	f.BoolVar(&o.print, "print-spec", false, "print the experiment file and exit")
	return c
}

// versusDefaults are the options without any flag.
func versusDefaults() versusOptions {
	return versusOptions{user: "root", workload: "oltp_read_write", threads: []int{8}, tables: 4, rows: 20000, rounds: 10, time: 3 * time.Second, warmup: time.Second}
}

// versusSpec is the experiment of one or two servers, which the command by writes. It stands in the run directory as if
// the user had written it.
func versusSpec(addresses []string, o versusOptions, by, name string) ([]byte, error) {
	verb, _, _ := strings.Cut(by, " ")
	first, err := versusArm(addresses[0], o)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", verb, shown(addresses[0]), err)
	}
	last := addresses[len(addresses)-1]
	second, err := versusArm(last, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", verb, shown(last), err)
	}
	nameBoth(&first, &second)
	defaults := versusDefaults()
	threads := counts{&o.threads}.String()
	if len(o.threads) > 1 {
		threads = "[" + threads + "]"
	}
	return rendered(versusExperiment, map[string]any{
		"By": by, "Name": name,
		"Made":   !experiment.IsWorkloadFile(o.workload) || o.tables != defaults.tables || o.rows != defaults.rows, // a file has its own
		"Tables": o.tables, "Rows": o.rows, "Workload": quote(o.workload), "Threads": threads, "Rounds": o.rounds, "Others": share{&o.others}.String(), "Time": o.time, "Warmup": o.warmup,
		"A": yamlKey(first.name), "B": yamlKey(second.name), "FieldsA": first.fields, "FieldsB": second.fields, "Same": first.fields == second.fields,
	})
}

// ofServers names the servers by their addresses in what is wrong with their arms: the file of the experiment is
// tare's.
func ofServers(err error, e *experiment.Experiment, addresses []string) error {
	var problems experiment.Problems
	if !errors.As(err, &problems) {
		return err
	}
	problems = slices.Clone(problems)
	for i, p := range problems {
		for n, arm := range e.Arms {
			if strings.HasPrefix(p.Field+".", "arms."+arm.Name+".") {
				p.File, p.Line, p.Column, p.Field = shown(addresses[min(n, len(addresses)-1)]), 0, 0, ""
				p.Message = inFlags(p.Message)
			}
		}
		problems[i] = p
	}
	return slices.Compact(problems)
}

// ofFlags names the flags in what is wrong with the rest of the experiment.
func ofFlags(err error, o versusOptions) error {
	var problems experiment.Problems
	if !errors.As(err, &problems) {
		return err
	}
	flags := []struct{ field, flag string }{
		{"data.tables", "--tables"}, {"data.rows", "--table-size"}, {"load.threads", "--threads"}, {"load", "--workload " + o.workload},
		{"protocol.rounds", "--rounds"}, {"protocol.warmup", "--warmup-time"}, {"protocol.measure", "--time"}, {"protocol.othersCPU", "--others-cpu"},
	}
	problems = slices.Clone(problems)
	for i, p := range problems {
		if p.File != versusFile {
			continue
		}
		p.File, p.Line, p.Column = "versus", 0, 0 // with the field, where no flag sets it
		for _, f := range flags {
			if p.Field == f.field || strings.HasPrefix(p.Field, f.field+".") {
				p.File, p.Field = f.flag, ""
				p.Message = strings.NewReplacer("leave out data.tables", "leave out --tables", "leave out data.rows", "leave out --table-size").Replace(p.Message)
				break
			}
		}
		problems[i] = p
	}
	return slices.Compact(problems)
}

// inFlags is a message about an arm with the flags of `tare versus` in the place of the fields of an experiment.
func inFlags(message string) string {
	return strings.NewReplacer(
		external.CheckLogin, "check the user (--user, or USER@ in the address) and the password (--password-file FILE, ?password-file=FILE in the address, or MYSQL_PWD)",
		"write shared: true", "add --shared",
		"leave tls: off out", "leave ?tls=off out of the address",
		"write tls: off", "add ?tls=off to the address",
		"name its CA in ca:", "name its CA with ?ca=FILE in the address",
	).Replace(message)
}

// versusServer is an arm: its name, which is one of names, and the fields of its target.
type versusServer struct {
	name, fields string
	names        []string
}

// versusArm reads the address of a server.
func versusArm(address string, o versusOptions) (versusServer, error) {
	u, err := serverAddress(address)
	if err != nil {
		return versusServer{}, err
	}
	query := u.Query()
	var fields []string
	field := func(name, value string) {
		if value != "" {
			fields = append(fields, name+": "+value)
		}
	}
	if socket := query.Get("socket"); socket != "" {
		field("socket", quote(socket))
	} else {
		field("host", quote(u.Hostname()))
		field("port", u.Port())
	}
	user := u.User.Username()
	if user == "" {
		user = o.user
	}
	field("user", quote(user))
	switch file := query.Get("password-file"); {
	case file != "":
		field("passwordFile", quote(file))
	case o.passwordFile != "":
		field("passwordFile", quote(o.passwordFile))
	case os.Getenv("MYSQL_PWD") != "":
		field("passwordEnv", "MYSQL_PWD")
	}
	field("tls", query.Get("tls"))
	if ca := query.Get("ca"); ca != "" {
		field("ca", quote(ca))
	}
	if schema := strings.Trim(u.Path, "/"); schema != "" {
		field("schema", quote(schema))
		field("keepSchema", "true")
	}
	if o.shared {
		field("shared", "true")
	}
	return versusServer{fields: strings.Join(fields, ", "), names: namesOf(u)}, nil
}

// addressForms are the forms of an address that are read.
const addressForms = "HOST:PORT, mysql://USER@HOST:PORT/SCHEMA, or the path of a socket"

// serverAddress reads mysql://USER@HOST:PORT/SCHEMA, HOST:PORT, or the path of a socket. A password in it is
// refused: every user of the machine sees the arguments of a process.
func serverAddress(address string) (*url.URL, error) {
	if isSocketPath(address) {
		return &url.URL{Scheme: "mysql", RawQuery: url.Values{"socket": {address}}.Encode()}, nil
	}
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		return nil, fmt.Errorf("a port without a host; write 127.0.0.1:%s for a server on this machine, or %s", address, addressForms)
	}
	if !strings.Contains(address, "://") {
		if net.ParseIP(address) != nil && strings.Contains(address, ":") {
			address = "[" + address + "]"
		}
		address = "mysql://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not an address; write " + addressForms)
	}
	if u.Scheme != "mysql" && u.Scheme != "mariadb" {
		return nil, fmt.Errorf("scheme %s is unknown; write %s", u.Scheme, addressForms)
	}
	if _, secret := u.User.Password(); secret {
		return nil, errors.New("the address has a password, which other users of this machine can read; set MYSQL_PWD, or add ?password-file=FILE")
	}
	if u.Hostname() == "" && u.Query().Get("socket") == "" {
		return nil, errors.New("the host is missing; write " + addressForms)
	}
	for key := range u.Query() {
		if !slices.Contains([]string{"tls", "ca", "password-file", "socket"}, key) {
			return nil, fmt.Errorf("parameter %s is unknown; use tls, ca, password-file or socket", key)
		}
	}
	return u, nil
}

// isSocketPath tells a path from HOST/SCHEMA: it begins as a path, ends as sockets do, or a socket is there.
func isSocketPath(address string) bool {
	for _, begin := range []string{"/", "./", "../"} {
		if strings.HasPrefix(address, begin) {
			return true
		}
	}
	if strings.Contains(address, "://") {
		return false
	}
	info, err := os.Stat(address)
	return strings.HasSuffix(address, ".sock") || err == nil && info.Mode()&os.ModeSocket != 0
}

// shown is an address without what may be a password, for an error.
func shown(address string) string {
	if at := strings.LastIndex(address, "@"); at >= 0 {
		return address[at+1:]
	}
	return address
}

// namesOf are what a server can be called, by what a person calls it first: its address as it was given, the host's
// first label, and only letters, digits and dashes.
func namesOf(u *url.URL) []string {
	if socket := u.Query().Get("socket"); socket != "" {
		file := strings.ToLower(path.Base(socket))
		return []string{file, file, dashed(strings.TrimSuffix(socket, ".sock"))}
	}
	host, port := strings.ToLower(u.Hostname()), ""
	if u.Port() != "" {
		port = ":" + u.Port()
	}
	label := host
	if net.ParseIP(host) == nil {
		label, _, _ = strings.Cut(host, ".")
	}
	return []string{host + port, label + port, dashed(label + port)}
}

// dashed is the end of a text, which differs most, with dashes for what only an address has.
func dashed(s string) string {
	s = strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(s), "-"), "-")
	if len(s) > 30 {
		s = strings.Trim(s[len(s)-30:], "-")
	}
	return cmp.Or(s, "server")
}

// nameBoth names two servers by the first kind of name that both can have and that tells them apart.
func nameBoth(first, second *versusServer) {
	for i, a := range first.names {
		b := second.names[i]
		if first.fields == second.fields {
			b = a + "-again"
		}
		first.name, second.name = a, b
		if a != b && experiment.ValidAddressName(a) && experiment.ValidAddressName(b) {
			return
		}
	}
	first.name, second.name = first.name+"-a", second.name+"-b"
}

// yamlKey is a name as a YAML key: one with a colon, or that may be a number, is quoted.
func yamlKey(name string) string {
	if strings.Contains(name, ":") || strings.TrimLeft(name, "0123456789.e") == "" {
		return quote(name)
	}
	return name
}
