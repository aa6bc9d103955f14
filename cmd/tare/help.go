package main

// The layout of help: what a verb does, examples, subcommands and flags in groups,
// exit codes. One function for all verbs, so that they read alike.

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Groups of verbs in help.
const (
	groupMeasure  = "measure"
	groupRead     = "read"
	groupFix      = "fix"
	groupMaintain = "maintain"
)

func verbGroups() []*cobra.Group {
	return []*cobra.Group{
		{ID: groupMeasure, Title: "Measure:"},
		{ID: groupRead, Title: "Read:"},
		{ID: groupFix, Title: "Fix:"},
		{ID: groupMaintain, Title: "Maintain:"},
	}
}

// exitCodes is the end of every help text.
const exitCodes = `Exit codes:
  0  success
  1  a check failed: lint or explain --live found something, or a --fail-if condition is met
  2  invalid command line, experiment file, input file or credentials of a cluster; nothing was started
  3  the command failed, a server or cluster was not available, or the record of a run could not be read or
     written
  130  ended by SIGINT (Ctrl-C); 143 by SIGTERM, 129 by SIGHUP, 141 by SIGPIPE (nobody reads the output)
`

// groupAnnotation holds the heading that a flag is printed under.
const groupAnnotation = "tare_group"

// group puts all flags that f has and that are in no group under a heading.
func group(f *pflag.FlagSet, heading string) {
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[groupAnnotation] == nil {
			_ = f.SetAnnotation(flag.Name, groupAnnotation, []string{heading}) // it is there
		}
	})
}

// printUsage is help without the description.
func printUsage(c *cobra.Command) error {
	w := c.OutOrStderr()
	fmt.Fprint(w, "Usage:\n")
	if c.Runnable() && c.HasParent() && (!c.HasAvailableSubCommands() || c.HasExample()) {
		fmt.Fprintf(w, "  %s\n", useLine(c))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND [flags]\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	printCommands(w, c)
	printFlags(w, c.LocalFlags())
	if c.HasAvailableInheritedFlags() {
		fmt.Fprint(w, "\nGlobal flags:\n")
		global := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { global.AddFlag(forHelp(f)) })
		fmt.Fprint(w, global.FlagUsages())
	}
	if c.HasAvailableSubCommands() && !c.HasParent() {
		fmt.Fprintf(w, "\n%s\n\"%s help COMMAND\" shows a command's description, examples and flags.\n", strings.TrimSuffix(exitCodes, "\n"), c.CommandPath())
		return nil
	}
	fmt.Fprintf(w, "\n%s", exitCodes)
	return nil
}

// useLine is Use with the parents' names before each of its alternatives.
func useLine(c *cobra.Command) string {
	parent := c.Parent().CommandPath() + " "
	var lines []string
	for _, form := range strings.Split(c.Use, " | ") {
		if c.HasAvailableLocalFlags() && !strings.Contains(form, "[flags]") {
			form += " [flags]"
		}
		lines = append(lines, parent+form)
	}
	return strings.Join(lines, "\n  ")
}

func printCommands(w io.Writer, c *cobra.Command) {
	available := func(id string) []*cobra.Command {
		return slices.DeleteFunc(slices.Clone(c.Commands()), func(s *cobra.Command) bool { return s.GroupID != id || !s.IsAvailableCommand() })
	}
	print := func(title string, commands []*cobra.Command) {
		if len(commands) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\n", title)
		for _, s := range commands {
			fmt.Fprintf(w, "  %-*s %s\n", max(10, s.NamePadding()), s.Name(), s.Short)
		}
	}
	for _, g := range c.Groups() {
		print(g.Title, available(g.ID))
	}
	print("Commands:", available(""))
}

// printFlags prints flags under the headings of their groups, in the order in which
// the groups were made; flags in no group come first.
func printFlags(w io.Writer, all *pflag.FlagSet) {
	sets := map[string]*pflag.FlagSet{}
	var headings []string
	all.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		heading := "Flags"
		if a := f.Annotations[groupAnnotation]; len(a) > 0 {
			heading = a[0]
		}
		if sets[heading] == nil {
			sets[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
			sets[heading].SortFlags = all.SortFlags
			headings = append(headings, heading)
		}
		sets[heading].AddFlag(forHelp(f))
	})
	slices.SortStableFunc(headings, func(a, b string) int { return order(a) - order(b) })
	for _, h := range headings {
		fmt.Fprintf(w, "\n%s:\n%s", h, sets[h].FlagUsages())
	}
}

// order puts a verb's own flags first.
func order(heading string) int {
	if heading == "Flags" {
		return 0
	}
	return 1
}

// helpVerb is cobra's help, but an unknown command is an error like any other.
func helpVerb(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for a command",
		ValidArgsFunction: func(c *cobra.Command, a []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if at, _, err := root.Find(a); err == nil {
				for _, s := range at.Commands() {
					if s.IsAvailableCommand() {
						names = append(names, s.Name()+"\t"+s.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, a []string) error {
			found, rest, err := root.Find(a)
			if err != nil || found == nil || found == root && len(rest) > 0 {
				return unknownCommand(root, a[0])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// unknownCommand is the error for a verb that does not exist, with what may be meant.
func unknownCommand(root *cobra.Command, name string) error {
	hint := root.CommandPath() + " --help lists the commands"
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + orList(near) + "? " + hint
	}
	return hinted{usage{fmt.Errorf("unknown command %q", name)}, hint}
}

// exclusive says of two flags that exclude each other which they are: cobra's message
// lists groups. Another error stays as it is.
func exclusive(err error) error {
	_, said, found := strings.Cut(err.Error(), "none of the others can be; [")
	set, _, _ := strings.Cut(said, "]")
	first, others, two := strings.Cut(set, " ")
	if !found || !two {
		return err
	}
	return fmt.Errorf("--%s and --%s cannot be used together", first, strings.ReplaceAll(others, " ", " and --"))
}

// usageErrors makes what cobra's own commands complain of usage errors too.
func usageErrors(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = args(func(c *cobra.Command, a []string) error {
			if err := c.ValidateFlagGroups(); err != nil { // cobra does it later, and not as an error of usage
				return exclusive(err)
			}
			return check(c, a)
		})
	}
	if !c.Runnable() { // cobra would show help and report success whatever the arguments
		c.RunE = func(c *cobra.Command, a []string) error {
			if len(a) > 0 {
				return unknownCommand(c, a[0])
			}
			return c.Help()
		}
	}
	for _, s := range c.Commands() {
		usageErrors(s)
	}
}
