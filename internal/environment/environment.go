// Package environment holds the variables that programs started by tare get: those that a
// program needs to run, and none that may have a password. It also keeps passwords out of core files.
package environment

import (
	"os"
	"slices"
	"strings"
)

// Passed are the variables of this process that a program needs to run as it does in the
// user's shell, and more, by their names. All others are left out, and not only those known to
// have a password: an experiment may name any variable as the source of one (passwordEnv).
func Passed(more ...string) []string { return Of(os.Environ(), more...) }

// Of is [Passed] of variables that a library has put together.
func Of(environ []string, more ...string) []string {
	needed := names()
	var passed []string
	for _, v := range environ {
		if name, _, _ := strings.Cut(v, "="); slices.Contains(needed, name) || slices.Contains(more, name) {
			passed = append(passed, v)
		}
	}
	return passed
}

// names are listed one by one, those of locale(7) as well: LC_ and a name of the user's is how
// variables are sent through ssh (ssh_config(5), SendEnv LC_*), passwords among them.
func names() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR", "GOMAXPROCS", "GODEBUG",
		"LANG", "LANGUAGE", "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES",
		"LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME",
	}
}
