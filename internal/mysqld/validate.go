package mysqld

// The server's own opinion of its options, asked without starting it.

import (
	"bytes"
	"context"
	"maps"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Refused is an option that the server does not take.
type Refused struct {
	Name   string // as the user wrote it
	Reason string // the server's own words
}

// AskOptions asks the server which of the options it refuses: names that it does not
// have, and values that it cannot read. MySQL is asked by --validate-config (8.0.16
// and later), MariaDB, which has no such option, by --help --verbose, which reads all
// options first. Options whose values are only checked when the storage engine starts
// pass. A server that cannot be asked refuses nothing: the start will tell.
func AskOptions(ctx context.Context, d Distribution, config map[string]string) []Refused {
	if d.Server == "" || d.Version == Unknown {
		return nil
	}
	left := maps.Clone(config)
	var refused []Refused
	// MySQL stops at the first option that it refuses.
	for range len(config) {
		found := namedIn(askOnce(ctx, d, left), left)
		if len(found) == 0 {
			break
		}
		for _, r := range found {
			delete(left, r.Name)
		}
		refused = append(refused, found...)
	}
	slices.SortFunc(refused, func(a, b Refused) int { return strings.Compare(a.Name, b.Name) })
	return refused
}

// askOnce is what the server complains of. Nothing is written: the options that name
// places are tare's to set, and are left out of the user's.
func askOnce(ctx context.Context, d Distribution, config map[string]string) string {
	ctx, cancel := context.WithTimeout(ctx, hangs)
	defer cancel()
	argv := []string{"--no-defaults", "--validate-config", "--secure-file-priv="}
	if d.Flavour == MariaDB {
		argv = []string{"--no-defaults", "--datadir=/", "--help", "--verbose"}
	}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		line := setting{strings.ReplaceAll(name, "-", "_"), config[name]}
		if line.value == "" && strings.HasPrefix(line.name, "skip_") {
			argv = append(argv, "--"+line.name)
		} else {
			argv = append(argv, "--"+line.name+"="+line.value)
		}
	}
	cmd := exec.CommandContext(ctx, d.Server, argv...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = confined(d)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	_ = cmd.Run() // its code also tells of what is not an option's fault; the lines do not
	return complaint.String()
}

// complaintLine is an error of the server's about an option (mysys/my_getopt.cc).
var complaintLine = regexp.MustCompile(`\[ERROR\] (?:\[MY-\d+\] \[\w+\] )?(?:Buffered error: )?(.*(?:unknown variable|unknown option|Error while setting value|Unknown suffix|requires an argument|ambiguous option).*)$`)

// namedIn are the options that an output complains of.
func namedIn(output string, config map[string]string) []Refused {
	var found []Refused
	seen := map[string]bool{}
	for line := range strings.Lines(output) {
		m := complaintLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		words := strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(m[1]), "-", "_"), func(r rune) bool { return strings.ContainsRune(" '=\"(),", r) })
		for _, name := range slices.Sorted(maps.Keys(config)) {
			plain := strings.ReplaceAll(strings.ToLower(name), "-", "_")
			if !seen[name] && (slices.Contains(words, plain) || slices.Contains(words, "__"+plain)) {
				seen[name] = true
				found = append(found, Refused{name, strings.TrimSuffix(withoutProgram(m[1]), ".")})
			}
		}
	}
	return found
}

// withoutProgram takes the path of the server from the beginning of its message.
func withoutProgram(message string) string {
	if program, rest, ok := strings.Cut(message, ": "); ok && path.IsAbs(program) {
		return rest
	}
	return message
}
