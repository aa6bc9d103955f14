package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// sameFlags are the flags that more than one verb has, by name: what the value is, and words that the help of each
// verb has for it.
func sameFlags() map[string]struct{ value, means string } {
	return map[string]struct{ value, means string }{
		"allow":          {"stringSlice", "allow what tare does not do by default"},
		"arm":            {"string", "arm"},
		"ca":             {"string", "file with the trusted CA certificates"},
		"client-image":   {"string", "image of tare"},
		"context":        {"string", "context of the kubeconfig"},
		"cpu":            {"string", "CPU limit of the container"},
		"database":       {"string", "server"},
		"fail-if":        {"stringArray", "condition that fails the comparison"},
		"filename":       {"stringArray", "file"},
		"for":            {"duration", "how long to watch"},
		"force":          {"bool", ""},
		"format":         {"string", "output format: "},
		"histogram":      {"on|off", "print the latency histogram, on at most 30 lines"},
		"host":           {"string", "host of the server"},
		"image":          {"string", "image of tare"},
		"in-cluster":     {"bool", "the run in a pod of the cluster"},
		"json":           {"bool", "same as --format json"},
		"kubeconfig":     {"string", "kubeconfig file of the cluster"},
		"kubernetes":     {"bool", "cluster of the current context"},
		"lang":           {"string", "language"},
		"live":           {"string", "server at this address"},
		"memory":         {"string", "memory limit of the container"},
		"metrics":        {"string", "serve Prometheus metrics at this address"},
		"namespace":      {"string", "namespace"},
		"node":           {"string", "file with the Node"},
		"node-name":      {"string", "host name of the node"},
		"out":            {"string", ""},
		"password-file":  {"string", "file with the password"},
		"percentile":     {"number", "latency percentile to print, 1 to 100, or 0 for none"},
		"pid":            {"number", "process of the server"},
		"port":           {"number", "port of the server"},
		"print-spec":     {"bool", "print the experiment file and exit"},
		"program":        {"string", "tare for linux"},
		"report-json":    {"string", "write the report as JSON to this file; - writes only JSON to standard output"},
		"others-cpu":     {"share", "instead of protocol.othersCPU"},
		"rounds":         {"number", "number of rounds"},
		"socket":         {"string", "socket of the server"},
		"server-version": {"string", "server version where the files have none"},
		"spec":           {"string", "experiment"},
		"strict":         {"bool", "also fail"},
		"table-size":     {"number", "rows of each table"},
		"tables":         {"number", "number of tables"},
		"threads":        {"numbers", "connections"},
		"time":           {"duration", "how long to measure"},
		"tls":            {"string", "TLS mode: verify-identity, verify-ca, required or off"},
		"unseal":         {"bool", "show results of a run that is not finished"},
		"user":           {"string", "user to log in as"},
		"warmup-time":    {"duration", "load before the measurement"},
		"workload":       {"string", "workload"},
	}
}

// TestOneLanguage: a flag that several verbs have is one flag: the same kind of value, and the same meaning.
func TestOneLanguage(t *testing.T) {
	where := map[string][]string{}
	for _, v := range visibleVerbs(rootCommand(&terminal{})) {
		v.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || v.Name() == "load" && sysbenchName(f.Name) {
				return
			}
			where[f.Name] = append(where[f.Name], v.Name())
			want, known := sameFlags()[f.Name]
			if len(where[f.Name]) > 1 && !known {
				t.Errorf("--%s is a flag of %s, and not in the table", f.Name, strings.Join(where[f.Name], ", "))
			}
			if known && (f.Value.Type() != want.value || !strings.Contains(f.Usage, want.means)) {
				t.Errorf("tare %s --%s takes a %s, %q; the table says %s, %q", v.Name(), f.Name, f.Value.Type(), f.Usage, want.value, want.means)
			}
			if f.Value.Type() == "float64" || f.Value.Type() == "duration" && fmt.Sprintf("%T", f.Value) != "main.span" {
				t.Errorf("tare %s --%s has a value of %T, which other verbs read in another way", v.Name(), f.Name, f.Value)
			}
		})
	}
	for name := range sameFlags() {
		if len(where[name]) == 0 {
			t.Errorf("--%s is in the table, and no verb has it", name)
		}
	}
}

// sysbenchName tells whether load has a flag for which the other verbs have another name.
func sysbenchName(name string) bool {
	return strings.HasPrefix(name, "mysql-") || strings.HasPrefix(name, "db-")
}

// TestNamesOfFlags: what kubectl, sysbench and earlier releases call a flag is that flag.
func TestNamesOfFlags(t *testing.T) {
	for line, want := range map[string]string{
		"report --output json":       "format",
		"load --mysql_host db":       "mysql-host",
		"load --host db":             "mysql-host",
		"load --table_size 10":       "table-size",
		"load --tls off":             "mysql-ssl-mode",
		"probe --mysql-socket /x":    "socket",
		"capture --mysql_db shop":    "schema",
		"probe --length 1m":          "for",
		"calibrate --length 1m":      "time",
		"versus --warmup 1":          "warmup-time",
		"remedy --of besteffort":     "arm",
		"explain --password_file pw": "password-file",
	} {
		words := strings.Fields(line)
		verb, _, err := rootCommand(&terminal{}).Find(words[:1])
		if err != nil {
			t.Fatal(err)
		}
		if err := verb.ParseFlags(words[1:]); err != nil || !verb.Flags().Changed(want) {
			t.Errorf("tare %s: %v, and --%s is not given", line, err, want)
		}
	}
}

// TestSpans: durations of the command line.
func TestSpans(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"60": time.Minute, "60s": time.Minute, "1m": time.Minute, "1h30m": 90 * time.Minute, "0.5": 500 * time.Millisecond, "0": 0, "1500ms": 1500 * time.Millisecond,
	} {
		var d time.Duration
		v := span{&d}
		if err := v.Set(text); err != nil || d != want {
			t.Errorf("%s: %s, %v", text, d, err)
		}
		var again time.Duration
		if err := (span{&again}).Set(v.String()); err != nil || again != d {
			t.Errorf("%s is written %s, which is %s, %v", text, v, again, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "-1s", "1d", "NaN", "Inf", "1e300", "60 s", "1m2"} {
		if d, ok := readSpan(text); ok {
			t.Errorf("%q is read as %s", text, d)
		}
	}
}

// goErrors are texts of Go's libraries, which name a function, a type or a package to a person.
var goErrors = regexp.MustCompile(`strconv\.|invalid syntax|value out of range|\bflag:|for "[^"]*" flag|time: |parse error|extraneous|EOF|%!|pflag|cobra|json: |yaml: (?:line|unmarshal)|net/|url\.|parse "|unmarshal|reflect|runtime error|goroutine`)

// argumentsFor are those with which a verb reads its flags and does no more: what they name does not exist.
func argumentsFor(verb string) []string {
	none := map[string][]string{
		"tare init": {"none/x.yaml"}, "tare versus": {"mysql://127.0.0.1:1"}, "tare demo": nil, "tare load": {"oltp_read_only", "run"}, "tare capture": {"--out", "none/x.yaml", "127.0.0.1:1"},
		"tare probe": {"127.0.0.1:1"}, "tare fetch": {"none"}, "tare compare": {"none", "none"}, "tare combine": {"none", "none"},
		"tare export": {"csv", "none"}, "tare import": {"a=none"}, "tare list": {"rules"}, "tare image": {"--out", "none/x.tar"}, "tare version": nil,
		"tare load merge": {"none"}, "tare serve": {"none"},
	}
	if a, ok := none[verb]; ok {
		return a
	}
	return []string{"none"}
}

// TestNonsenseInFlags: whatever stands for a flag's value, no text of Go's libraries reaches a person, and what is
// refused is an error of usage.
func TestNonsenseInFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TARE_STATE", filepath.Join(t.TempDir(), "state"))
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("PATH", t.TempDir()) // no server, no runc: nothing is started
	t.Setenv("MYSQL_PWD", "")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tried := 0
	for _, v := range visibleVerbs(rootCommand(&terminal{})) {
		var names []string
		v.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		v.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		for _, name := range names {
			if name == "help" || name == "version" {
				continue
			}
			for _, value := range []string{"zzz", "", "\"", "-1", "99999999999999999999999", "1e999", "NaN", "%s", "a=b=c", "\xff", "{", "::", ":99999", "http://[::1"} {
				args := slices.Concat(strings.Fields(v.CommandPath())[1:], []string{"--" + name + "=" + value}, argumentsFor(v.CommandPath()))
				if told := nonsense(t, ended, args); goErrors.MatchString(told) {
					t.Errorf("%q\n%s", args, told)
				}
				tried++
			}
		}
	}
	if tried < 2000 {
		t.Errorf("%d values tried", tried)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("verbs that were refused or ended left %v, %v", left, err)
	}
}

// nonsense runs a command line whose context has ended, and returns what is told.
func nonsense(t *testing.T, ended context.Context, args []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	root := rootCommand(&terminal{in: strings.NewReader(""), out: &out, err: &errs})
	root.SetArgs(args)
	err := root.ExecuteContext(ended)
	if err != nil {
		explain(&errs, err)
	}
	return errs.String()
}

// TestWrongFlags: a mistake is told with what would be right.
func TestWrongFlags(t *testing.T) {
	for line, want := range map[string]string{
		"lint --formt json x":           "unknown flag: --formt\n  did you mean --format or --port? tare lint --help",
		"lint -k overlay":               "unknown flag: -k\n  no flag is needed: directories are read with those below them, and Kustomizations are built: tare lint DIR",
		"lint -R manifests":             "no flag is needed: directories are read",
		"check -o json x":               "tare check has no --format; to write its output to a file, add > FILE",
		"capture -o x.yaml db":          "tare capture has no --format; to write its output to a file, use --out PATH",
		"report x -o x.html":            "--format \"x.html\": use text, md, json or html\n  --format, or -o, takes a format; to write to a file, add > FILE",
		"report x --format csv":         "--format \"csv\": use text, md, json or html\n  tare export csv DIR writes this format",
		"run x -o runs/x":               "to write to a file, use --out PATH",
		"probe --duration 60 db":        "did you mean --for?",
		"load --duration 60 oltp run":   "did you mean --time?",
		"probe --password x db":         "use --password-file FILE, or set MYSQL_PWD",
		"load --time oltp run":          "--time \"oltp\": write a duration such as 60s or 2m, or a number of seconds",
		"run --volume-size":             "--volume-size needs a value: --volume-size SIZE",
		"probe --port 70000 db":         "--port \"70000\": write a whole number from 0 to 65535",
		"run --ascii=maybe x":           "write the flag alone, or with =true or =false",
		"rnu x":                         "did you mean run?",
		"clean -x":                      "unknown flag: -x\n  tare clean --help lists the flags",
		"image --binary x":              "--binary \"x\": write KEY=VALUE",
		"--=x":                          "--=x is not a flag",
		"probe --host a --socket /b":    "ADDRESS, --host and --socket exclude each other",
		"probe":                         "probe: no server given\n  write ADDRESS, --host HOST or --socket PATH",
		"explain --live a --host b":     "ADDRESS, --host and --socket exclude each other",
		"explain --live --for 5s db:1":  "--live \"--for\": write the server's address directly after --live",
		"lint --live --strict db":       "--live \"--strict\": write the server's address directly after --live",
		"lint --fix --host a":           "--fix and --host cannot be used together",
		"probe mysql://u:secret@db/":    "the address has a password",
		"probe redis://db":              "scheme redis is unknown",
		"probe db?x=1":                  "parameter x is unknown",
		"probe db:1 --port 2":           "the address has a port; leave --port out",
		"explain 127.0.0.1:1 --for 1s":  "--for 1s: use at least 2s",
		"explain mysql://db:1 --for 1":  "--for 1s: use at least 2s",
		"capture db:x --out y":          "not an address",
		"load --rate=NaN oltp run":      "--rate \"NaN\": write a number of transactions per second, such as 500 or 500/s",
		"load --rate=50/s oltp run":     "unknown workload \"oltp\"",
		"run --rounds 0 x.yaml":         "--rounds \"0\": write a whole number, 1 or above",
		"versus a --others-cpu 100%":    "--others-cpu \"100%\": write a percentage above 0 and below 100, such as 99%",
		"run --others-cpu 0.99 x.yaml":  "--others-cpu \"0.99\": write a percentage above 0 and below 100, such as 99%",
		"versus a --rounds 0":           "--rounds \"0\": write a whole number, 1 or above",
		"history no-such-directory":     "history: no-such-directory does not exist",
		"load --forced-shutdown=x tpcc": "write tare load tpcc and one of prepare, run, check or cleanup",
		"capture -n shop":               "unknown flag: -n\n  of a pod, forward its port: kubectl port-forward -n NAMESPACE pod/POD 33060:3306; then: tare capture 127.0.0.1:33060 --out FILE",
		"lint -n shop":                  "unknown flag: -n\n  tare lint --help lists the flags",
		"lint":                          "tare: lint needs 1 argument or more, not 0\n  usage: tare lint FILE...",
		"compare a":                     "tare: compare takes 2 arguments, not 1\n  usage: tare compare A B",
		"report":                        "tare: report takes 1 argument, not 0",
		"versus a b c":                  "tare: versus takes 1 to 2 arguments, not 3",
		"init a b":                      "tare: init takes at most 1 argument, not 2",
		"demo x":                        "tare: demo takes no argument: x",
		"load --threads=-1 tpcc run":    "--threads \"-1\": write a whole number of at least 1",
	} {
		var told bytes.Buffer
		if code := run(strings.Fields(line), &terminal{in: os.Stdin, out: &told, err: &told}); code != exitInvalid || !strings.Contains(told.String(), want) {
			t.Errorf("tare %s: exit code %d\n%s\nwant %s", line, code, told.String(), want)
		}
	}
}
