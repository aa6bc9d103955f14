package loadgen

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
)

// arguments are the options that every command of sysbench takes. Known are the
// options of the workload, nil for a script that declares none and takes any.
func arguments(j Job, known options, config string, threads int) []string {
	args := []string{
		"--config-file=" + config,
		"--threads=" + strconv.Itoa(threads),
	}
	if j.Tables > 0 && known.has("tables") {
		args = append(args, "--tables="+strconv.Itoa(j.Tables))
	}
	if j.Rows > 0 && known.has("table-size") {
		args = append(args, "--table-size="+strconv.FormatInt(j.Rows, 10))
	}
	for _, name := range slices.Sorted(maps.Keys(j.Options)) {
		args = append(args, "--"+name+"="+j.Options[name])
	}
	return args
}

// runArguments are the options of a run. Check has seen to it that the durations
// are whole seconds, and rate and percentile whole numbers.
func runArguments(j Job) []string {
	args := []string{
		"--time=" + seconds(j.Warmup+j.Measure),
		"--report-interval=1",
		"--histogram=on",
		"--percentile=" + strconv.Itoa(int(cmp.Or(j.Percentile, 95))),
		"--rand-seed=" + strconv.FormatInt(randSeed(j), 10),
		"--forced-shutdown=" + seconds(forcedShutdown),
	}
	if j.Warmup > 0 {
		// Not --warmup-time, see window.
		args = append(args, "--report-checkpoints="+seconds(j.Warmup))
	}
	if j.Rate > 0 {
		args = append(args, "--rate="+strconv.Itoa(int(j.Rate)))
	}
	return args
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// randSeed is what sysbench draws statements from and, with a rate, arrivals.
func randSeed(j Job) int64 {
	if j.Rate > 0 && j.Seed != 0 {
		return seed(j.Seed + int64(j.Arrivals))
	}
	return seed(j.Seed)
}

// seed folds a seed into what sysbench takes, 1 to 2^31 - 1; 0 stays 0, with
// which sysbench takes the time of day. A seed in that range stays itself.
func seed(s int64) int64 {
	if s >= 0 && s <= math.MaxInt32 {
		return s
	}
	return int64(uint64(s)%math.MaxInt32) + 1
}

// writeConfig writes the file that tells sysbench where the server is and who we
// are. It takes these from a file because a command line is read by everyone on
// the machine (/proc/PID/cmdline). The caller removes it.
func writeConfig(j Job) (path string, err error) {
	text, err := configText(j.Server)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return "", fmt.Errorf("make directory for sysbench: %w", err)
	}
	f, err := os.CreateTemp(j.Dir, "sysbench-*.conf") // 0600
	if err != nil {
		return "", fmt.Errorf("write sysbench's options: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("write sysbench's options: %w", err)
	}
	return f.Name(), nil
}

// tlsModes are the words for ours that --mysql-ssl takes in a sysbench 1.1 built
// with MySQL's client library. See checkTLS for the others.
func tlsModes() map[string]string {
	return map[string]string{"required": "required", "verify-ca": "verify_ca", "verify-identity": "verify_identity"}
}

func configText(a mysqld.Address) (string, error) {
	values := [][2]string{{"db-driver", "mysql"}, {"mysql-user", a.User}, {"mysql-password", a.Password}, {"mysql-db", a.Schema}}
	if a.Socket != "" {
		values = append(values, [2]string{"mysql-socket", a.Socket})
	} else {
		values = append(values, [2]string{"mysql-host", a.Host})
		if a.Port > 0 {
			values = append(values, [2]string{"mysql-port", strconv.Itoa(a.Port)})
		}
	}
	if a.TLS != "" {
		values = append(values, [2]string{"mysql-ssl", tlsModes()[a.TLS]}, [2]string{"mysql-ssl-ca", a.CA})
	}
	var text strings.Builder
	for _, v := range values {
		if v[1] == "" {
			continue
		}
		line, err := configLine(v[0], v[1])
		if err != nil {
			return "", err
		}
		text.WriteString(line)
	}
	return text.String(), nil
}

// maxConfigLine is what sysbench reads of a line at once (MAXSTRLEN,
// sb_options.c); it takes the rest for another line.
const maxConfigLine = 255

// configLine writes one option the way read_config (sb_options.c) reads it back:
// in quotes, where every byte stands for itself up to the same quote. There is
// no way to escape one, so a value with both kinds goes without quotes if it
// can. The value is never part of the error: it may be the password.
func configLine(name, value string) (string, error) {
	quote := ""
	switch {
	case strings.ContainsAny(value, "\n\r\x00"):
		return "", fmt.Errorf("write sysbench's options: %s holds a line break or a NUL byte", name)
	case !strings.Contains(value, `"`):
		quote = `"`
	case !strings.Contains(value, `'`):
		quote = `'`
	case strings.ContainsAny(value, " \t\v\f,") || strings.ContainsAny(value[:1], `#'"`):
		return "", fmt.Errorf("write sysbench's options: %s holds both kinds of quotes and a blank, a comma or a quote in front: sysbench cannot read such a value", name)
	}
	line := name + "=" + quote + value + quote + "\n"
	if len(line) > maxConfigLine {
		return "", fmt.Errorf("write sysbench's options: %s is longer than the %d bytes that sysbench reads", name, maxConfigLine-len(name)-4)
	}
	return line, nil
}
