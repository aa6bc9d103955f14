package mysqld

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// reserved are the options that say where an instance lives and how it is
// reached: were they the user's, two servers could share a data directory, or
// tare could measure a server that it did not start.
var reserved = map[string]string{
	"datadir":         "every trial has a data directory of its own",
	"socket":          "every trial has a socket of its own",
	"pid_file":        "every trial has a pid file of its own",
	"port":            "the target chooses the port",
	"user":            "the target chooses the user",
	"skip_networking": "the target chooses whether the server listens",
	"daemonize":       "tare has to be the server's parent",
	"defaults_file":   "tare writes the defaults file; put the options themselves here",
}

// optionName is what an option is called in a file: lower case with _ or -, and
// dots for components and key caches.
var optionName = regexp.MustCompile(`^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$`)

// Validate says everything that is wrong with a user's options for this server,
// as one error that joins an OptionError for each: names and values that no file can
// hold, options that are tare's, and options that this server does not have.
func Validate(d Distribution, config map[string]string) error {
	var errs []error
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		err := validate(d, name, config[name])
		base := normalName(name)
		if first, twice := seen[base]; twice && err == nil {
			err = fmt.Errorf("set option %s: it is the same option as %s; keep one", name, first)
		}
		seen[base] = name
		if err != nil {
			errs = append(errs, OptionError{name, err})
		}
	}
	return errors.Join(errs...)
}

// OptionError is what is wrong with one option.
type OptionError struct {
	Name string // as the user wrote it
	Err  error
}

func (e OptionError) Error() string { return e.Err.Error() }

// Unwrap is what is wrong.
func (e OptionError) Unwrap() error { return e.Err }

func validate(d Distribution, name, value string) error {
	if !optionName.MatchString(name) {
		return fmt.Errorf("set option %q: not a name of a server option; write it in lower case, such as innodb_buffer_pool_size", name)
	}
	if err := checkValue("option "+name, value); err != nil {
		return err
	}
	base := normalName(name)
	if full := reservedName(base); full != "" {
		return fmt.Errorf("set option %s: it cannot be set: %s", name, reserved[full])
	}
	if base == "log_bin" && slices.Contains([]string{"0", "off", "false"}, strings.ToLower(value)) {
		return fmt.Errorf("set option %s: %q would be the name of the log's file; write skip_log_bin with no value to have no binary log", name, value)
	}
	if base == "innodb_buffer_pool_size" || sizeHint(value) != "" {
		if _, err := ParseSize(value); err != nil {
			return fmt.Errorf("set option %s: %w", name, err)
		}
	}
	if strings.HasPrefix(strings.ReplaceAll(name, "-", "_"), "loose_") {
		return nil // the user says that the server may not have it
	}
	return foreign(d, base)
}

// checkValue refuses what would become another line of the options file.
func checkValue(what, value string) error {
	for _, c := range value {
		if (c < ' ' && c != '\t') || c == 0x7f {
			return fmt.Errorf("set %s: its value holds a line break or another control character", what)
		}
	}
	return nil
}

// reservedName returns the reserved option that a name means. Servers take
// unambiguous beginnings for the whole name, so "sock" is socket; a beginning
// of a reserved name is never the whole name of another option.
func reservedName(base string) string {
	for full := range reserved {
		if base == full || (len(base) >= 3 && strings.HasPrefix(full, base)) {
			return full
		}
	}
	return ""
}

// options are a user's options under their plain names.
type options map[string]string

// normalise brings the spellings of an option together.
func normalise(config map[string]string) options {
	n := options{}
	for name, value := range config {
		n[normalName(name)] = value
	}
	return n
}

// WithoutBinaryLog is a configuration with which a server has no binary log.
func WithoutBinaryLog(config map[string]string) map[string]string {
	all := map[string]string{"skip_log_bin": ""}
	for name, value := range config {
		if n := normalName(name); n != "log_bin" && n != "skip_log_bin" {
			all[name] = value
		}
	}
	return all
}

// normalName is an option's name with underscores and without the prefixes that
// servers take (my_getopt.cc): "loose-sync-binlog" is the same option as
// sync_binlog. skip_ stays, as most names with it are names of their own.
func normalName(name string) string {
	n := strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, p := range []string{"loose_", "maximum_", "enable_", "disable_"} {
		n = strings.TrimPrefix(n, p)
	}
	return n
}

// has says whether the user set an option of ours under another spelling.
func (o options) has(name string) bool {
	_, ok := o[normalName(name)]
	return ok
}
