package main

// The grammar of flags, the same for every verb: -o/--format (also --output) is a
// format, -f/--filename a file to read, --out a file or directory to write, --json
// another way to write --format json. TestOneLanguage compares every flag of every verb
// with one table of names and meanings.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is a flag that takes one of a few words and refuses every other before
// anything is done.
type choice struct {
	to    *string
	words []string
}

func (v choice) Type() string { return "string" }

func (v choice) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

func (v choice) Set(s string) error {
	if !slices.Contains(v.words, s) {
		return fmt.Errorf("use %s", orList(v.words))
	}
	*v.to = s
	return nil
}

// orList is "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// choiceFlag adds a flag with a closed set of values, which shells complete.
func choiceFlag(c *cobra.Command, f *pflag.FlagSet, to *string, name, short, value string, words []string, help string) {
	*to = value
	f.VarP(choice{to, words}, name, short, help)
	completeFlag(c, name, func() []string { return words })
}

// formatFlag adds -o/--format. The first format is the default; where json is among
// them, --json is a synonym.
func formatFlag(c *cobra.Command, to *string, formats ...string) {
	choiceFlag(c, c.Flags(), to, "format", "o", formats[0], formats, "output format: "+orList(formats))
	if !slices.Contains(formats, "json") {
		return
	}
	c.Flags().VarPF(jsonSwitch{to, formats[0]}, "json", "", "same as --format json").NoOptDefVal = "true"
}

// jsonSwitch is --json: it sets the format.
type jsonSwitch struct {
	to    *string
	plain string
}

func (v jsonSwitch) Type() string { return "bool" }

func (v jsonSwitch) String() string { return "false" }

func (v jsonSwitch) Set(s string) error {
	switch s {
	case "true":
		*v.to = "json"
	case "false":
		*v.to = v.plain
	default:
		return fmt.Errorf("%q is unknown; use --json alone", s)
	}
	return nil
}

// synonyms are other names that a flag is known by: with underscores, as sysbench takes them; kubectl's --output;
// --of, which was the name of --arm; --length and --warmup, which were those of --for and --warmup-time. load has
// sysbench's names of the flags that say where the server is, and takes those of the other verbs too; they take
// sysbench's.
func synonyms(f *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ReplaceAll(name, "_", "-")
	switch {
	case name == "output":
		name = "format"
	case name == "of":
		name = "arm"
	case name == "warmup":
		name = "warmup-time"
	case name == "length" && f.Name() == "calibrate":
		name = "time"
	case name == "length":
		name = "for"
	}
	if now := sysbenchNames()[name]; now != "" && f.Name() == "load" {
		name = now
	}
	for _, same := range serverNames() {
		switch {
		case name == same.ours && f.Name() == "load":
			name = same.sysbench
		case name == same.sysbench && f.Name() != "load":
			name = same.ours
		}
	}
	return pflag.NormalizedName(name)
}

// serverNames are the flags that say where a server is and who logs in, by their two names.
func serverNames() []struct{ ours, sysbench string } {
	return []struct{ ours, sysbench string }{
		{"host", "mysql-host"}, {"port", "mysql-port"}, {"socket", "mysql-socket"}, {"user", "mysql-user"},
		{"password-file", "mysql-password-file"}, {"schema", "mysql-db"}, {"tls", "mysql-ssl-mode"}, {"ca", "mysql-ssl-ca"},
	}
}

// filesFlag adds -f/--filename to a verb whose arguments are files: what it names
// stands before the arguments.
func filesFlag(c *cobra.Command, help string) {
	var names []string
	c.Flags().StringArrayVarP(&names, "filename", "f", nil, help)
	check, do := c.Args, c.RunE
	c.Args = func(c *cobra.Command, a []string) error { return check(c, slices.Concat(names, a)) }
	c.RunE = func(c *cobra.Command, a []string) error { return do(c, slices.Concat(names, a)) }
}

// completeFlag offers words for a flag's value.
func completeFlag(c *cobra.Command, name string, words func() []string) {
	// It fails for a flag that is not there or has one already: a mistake in the verb,
	// which TestCompletion finds.
	_ = c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	})
}
