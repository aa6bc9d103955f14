package main

// What a person reads of a flag that is wrong: the flag, its value, a value that would be
// right, and for a name that does not exist which flag may be meant.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says an error of pflag in words of the command line. pflag passes on the texts of strconv and of time,
// which name functions of Go.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &value):
		return invalidValue(c, value)
	case errors.As(err, &missing):
		f := forHelp(missing.GetFlag())
		return usage{fmt.Errorf("--%s needs a value: --%s %s", f.Name, f.Name, strings.ToUpper(f.Value.Type()))}
	case errors.As(err, &unknown):
		return unknownFlag(c, unknown)
	case errors.As(err, &syntax):
		return hinted{usage{fmt.Errorf("%s is not a flag", syntax.GetSpecifiedFlag())}, c.CommandPath() + " --help lists the flags"}
	}
	return usage{err}
}

// invalidValue is the error for a value that a flag does not take.
func invalidValue(c *cobra.Command, wrong *pflag.InvalidValueError) error {
	f := wrong.GetFlag()
	how, known := valueWords()[f.Value.Type()]
	if !known { // of a type of this package, whose error says it
		how = wrong.Unwrap().Error()
	}
	err := usage{fmt.Errorf("--%s %q: %s", f.Name, wrong.GetValue(), how)}
	if f.Name == "format" && slices.Contains(formatNames(), wrong.GetValue()) && c.Name() == "report" {
		return hinted{err, "tare export " + wrong.GetValue() + " DIR writes this format"}
	}
	if f.Name == "format" {
		return hinted{err, "--format, or -o, takes a format; to write to a file, " + toFile(c)}
	}
	return err
}

// valueWords say for pflag's own types what to write.
func valueWords() map[string]string {
	return map[string]string{
		"bool":           "write the flag alone, or with =true or =false",
		"int":            "write a whole number",
		"int64":          "write a whole number",
		"uint":           "write a whole number, 0 or above",
		"uint16":         "write a whole number from 0 to 65535",
		"uint64":         "write a whole number, 0 or above",
		"stringSlice":    "write words separated by commas",
		"stringToString": "write KEY=VALUE",
	}
}

// toFile says how a verb's output gets into a file.
func toFile(c *cobra.Command) string {
	if out := c.Flags().Lookup("out"); out != nil {
		return "use --out " + forHelp(out).Value.Type()
	}
	return "add > FILE"
}

// unknownFlag is the error for a flag that a verb does not have.
func unknownFlag(c *cobra.Command, unknown *pflag.NotExistError) error {
	name := unknown.GetSpecifiedName()
	said := "unknown flag: --" + name
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		said = "unknown flag: -" + name
		if len(short) > 1 {
			said += " in -" + short
		}
	}
	return hinted{usage{errors.New(said)}, instead(c, strings.ReplaceAll(name, "_", "-"))}
}

// instead says what to write for a flag that does not exist.
func instead(c *cobra.Command, name string) string {
	help := c.CommandPath() + " --help lists the flags"
	has := func(name string) bool {
		f := c.Flags().Lookup(name)
		return f != nil && !f.Hidden
	}
	switch {
	case c.Name() == "export" && slices.Contains([]string{"format", "json", "o"}, name):
		return "the format is the first argument: tare export csv DIR; `tare export --help` lists the formats"
	case slices.Contains([]string{"out", "output-file", "outfile"}, name) && !has("out"):
		return c.CommandPath() + " writes to standard output; to write it to a file, " + toFile(c)
	case c.Name() == "lint" && slices.Contains([]string{"k", "kustomize", "R", "r", "recursive"}, name):
		return "no flag is needed: directories are read with those below them, and Kustomizations are built: tare lint DIR"
	case slices.Contains([]string{"format", "output", "json", "o"}, name):
		return c.CommandPath() + " has no --format; to write its output to a file, " + toFile(c)
	case c.Name() == "capture" && slices.Contains([]string{"n", "namespace", "context", "kubeconfig"}, name):
		return "of a pod, forward its port: kubectl port-forward -n NAMESPACE pod/POD 33060:3306; then: tare capture 127.0.0.1:33060 --out FILE"
	case (name == "password" || name == "p" || name == "mysql-password") && has("password-file"):
		return "other users of this machine can read a password in the command line; use --password-file FILE, or set MYSQL_PWD"
	}
	for _, alike := range otherNames() {
		if !slices.Contains(alike, name) {
			continue
		}
		if at := slices.IndexFunc(alike, has); at >= 0 {
			return "did you mean --" + alike[at] + "? " + help
		}
	}
	if len(name) == 1 { // each flag that begins with the letter would be near
		return help
	}
	if near := nearFlags(c, name); len(near) > 0 {
		return "did you mean " + orList(near) + "? " + help
	}
	return help
}

// otherNames are names that other programs, and other verbs, have for one idea. The first that a verb has is meant.
func otherNames() [][]string {
	return [][]string{
		{"for", "time", "duration", "seconds", "t"},
		{"out", "output-file", "output-dir", "dir", "outfile"},
		{"host", "mysql-host", "hostname", "server", "address", "live", "H"},
		{"port", "mysql-port", "P"},
		{"socket", "mysql-socket", "S"},
		{"user", "mysql-user", "username", "u"},
		{"password-file", "mysql-password-file", "password", "defaults-extra-file"},
		{"schema", "mysql-db", "db", "D"},
		{"tls", "mysql-ssl-mode", "ssl-mode", "ssl", "mysql-ssl"},
		{"ca", "mysql-ssl-ca", "ssl-ca"},
		{"threads", "concurrency", "connections", "c"},
		{"lang", "language", "locale"},
		{"listen", "addr", "bind"},
		{"quiet", "silent", "s"},
	}
}

// nearFlags are the flags of a verb that a misspelt name may mean, judged as cobra judges verbs: by edits and by the
// beginning.
func nearFlags(c *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	near := names.SuggestionsFor(name)
	for i := range near {
		near[i] = "--" + near[i]
	}
	return near
}
