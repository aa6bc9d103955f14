package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// visibleVerbs are all commands that help shows, without those that cobra makes.
func visibleVerbs(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, s := range c.Commands() {
		if s.Hidden || s.Name() == "help" || s.Name() == "completion" {
			continue
		}
		all = append(append(all, s), visibleVerbs(s)...)
	}
	return all
}

// TestEveryVerbHasHelp: a summary, an example, a group, and one meaning for each flag.
func TestEveryVerbHasHelp(t *testing.T) {
	verbs := visibleVerbs(rootCommand(&terminal{}))
	if len(verbs) < 20 {
		t.Fatalf("%d verbs", len(verbs))
	}
	for _, v := range verbs {
		if v.Short == "" || strings.HasSuffix(v.Short, ".") || !strings.Contains(v.Example, v.CommandPath()) {
			t.Errorf("%s: wants a summary without a full stop, and an example with %q", v.Name(), v.CommandPath())
		}
		for _, line := range strings.Split(useLine(v), "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), v.CommandPath()) || strings.Count(line, "[") != strings.Count(line, "]") {
				t.Errorf("%s: usage %q", v.Name(), line)
			}
		}
		if v.GroupID == "" && v.Parent().Name() == "tare" {
			t.Errorf("%s: in no group of help", v.Name())
		}
		v.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "format" && f.Shorthand != "o" || f.Name == "filename" && f.Shorthand != "f" {
				t.Errorf("%s: --%s has the short form %q", v.Name(), f.Name, f.Shorthand)
			}
		})
	}
}

// TestHelpGroupsFlags: load has more flags than a screen, under headings.
func TestHelpGroupsFlags(t *testing.T) {
	var out bytes.Buffer
	if code := run([]string{"load", "--help"}, &terminal{out: &out, err: &out}); code != exitDone {
		t.Fatal(code, out.String())
	}
	last := -1
	for _, heading := range []string{"\nServer:\n", "\nLoad and measurement:\n", "\nOutput:\n", "\nDistributed load:\n", "\nWorkload:\n", "\nGlobal flags:\n", "\nExit codes:\n"} {
		at := strings.Index(out.String(), heading)
		if at <= last {
			t.Errorf("%q is missing or out of order", heading)
		}
		last = at
	}
}

// TestCompletion: the shell is offered values, not only names of flags.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"report --format ":                    "html",
		"compare --output ":                   "junit",
		"report --lang ":                      "zh",
		"run --color ":                        "never",
		"explain ":                            "K-CFS-02",
		"lint --ignore ":                      "M-BP-01",
		"load ":                               "oltp_read_only",
		"load oltp_read_only ":                "prepare",
		"export ":                             "parquet",
		"list ":                               "layers",
		"tune ../../examples/qos.yaml --arm ": "guaranteed-busy",
		"tune --filename ../../examples/qos.yaml --arm ": "burstable",
		"help ": "history",
	} {
		var out bytes.Buffer
		if code := run(append([]string{"__complete"}, strings.Split(line, " ")...), &terminal{out: &out, err: &bytes.Buffer{}}); code != exitDone {
			t.Errorf("tare %s<TAB>: exit code %d", line, code)
		}
		words := strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' || r == '\t' })
		if !slices.Contains(words, want) {
			t.Errorf("tare %s<TAB> does not offer %s:\n%s", line, want, out.String())
		}
	}
}
