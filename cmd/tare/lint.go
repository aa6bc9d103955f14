package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/manifest/files"
	"github.com/tarebench/tare/internal/record"
)

// lintOptions are what `tare lint` was asked for.
type lintOptions struct {
	node   string
	format string
	fix    bool
	diff   bool
	given  givenServer
	ignore []string
	failOn string
	lang   string
	strict bool
	live   liveOptions
}

func lintVerb(t *terminal) *cobra.Command {
	var o lintOptions
	c := &cobra.Command{
		Use:   "lint FILE... | lint --live ADDRESS | lint --socket PATH | lint --host HOST",
		Short: "Find settings in manifests and my.cnf that cost performance",
		Long: "Read Kubernetes manifests, rendered charts, operators' resources and option files, and report settings\n" +
			"that cost a MySQL or MariaDB server performance or put it at risk, with file and line, impact and fix.\n" +
			"FILE can be a directory, or - for standard input. All files are read together: a ConfigMap in one\n" +
			"configures the server in another.\n\n" +
			"--live checks a running server and the limits of its cgroup instead of files. Nothing is changed.\n" +
			addressHelp + "\n\n" +
			"Exits with 1 if there are findings of the severity of --fail-on or above, 0 if there are none, 2 if a\n" +
			"file cannot be read.",
		Example: "  helm template my-chart | tare lint -\n  tare lint --node node.yaml deployment.yaml\n  tare lint --diff manifests/\n  tare lint --fix manifests/\n  tare lint my.cnf --server-version 8.0 --memory 4Gi\n  tare lint --live /run/mysqld/mysqld.sock",
		Args: args(func(c *cobra.Command, files []string) error {
			if o.live.given() {
				return cobra.NoArgs(c, files)
			}
			return cobra.MinimumNArgs(1)(c, files)
		}),
		RunE: func(c *cobra.Command, files []string) (err error) {
			if o.lang, err = ruleLanguage(t, o.lang); err != nil {
				return err
			}
			if !slices.Contains(severities(), o.failOn) {
				return usage{fmt.Errorf("--fail-on %s: use %s", o.failOn, strings.Join(severities(), ", "))}
			}
			if o.live.given() {
				if err := o.live.name("lint", nil); err != nil {
					return err
				}
				return lintLive(c.Context(), t, o)
			}
			return lint(t, o, files)
		},
	}
	c.Flags().StringVar(&o.node, "node", "", "file with the Node (kubectl get node NAME -o yaml), and optionally its pods and KubeletConfiguration")
	c.Flags().BoolVar(&o.fix, "fix", false, "write the values that are certain into the files, and leave every other byte")
	c.Flags().BoolVar(&o.diff, "diff", false, "print what --fix would change as a unified diff, and write nothing")
	o.given.flags(c)
	formatFlag(c, &o.format, "text", "json", "sarif")
	c.Flags().StringSliceVar(&o.ignore, "ignore", nil, "ids of rules to skip")
	completeFlag(c, "ignore", ruleIDs)
	c.Flags().StringVar(&o.failOn, "fail-on", string(diagnose.Note), "least severity of a finding that makes the exit code 1: error, warning or note; findings below it are printed all the same")
	completeFlag(c, "fail-on", severities)
	c.Flags().BoolVar(&o.strict, "strict", false, "also fail if a document that may hold a database was not read")
	c.Flags().StringVar(&o.lang, "lang", "", findingLanguageHelp)
	completeFlag(c, "lang", diagnose.Languages)
	c.Flags().Var((*liveAddress)(&o.live.address), "live", "check the running server at this address instead of files")
	liveFlags(c, &o.live, "of a running server: ")
	for _, server := range []string{"live", "host", "socket"} {
		c.MarkFlagsMutuallyExclusive("fix", server) // with --fix, --diff still writes nothing
		c.MarkFlagsMutuallyExclusive("diff", server)
	}
	filesFlag(c, "file or directory to read; can be repeated")
	return c
}

// lint reads, judges, and writes: what cannot be read hides nothing of the rest.
func lint(t *terminal, o lintOptions, names []string) error {
	if !slices.Contains([]string{"text", "json", "sarif"}, o.format) {
		return usage{fmt.Errorf("--format %s: use text, json or sarif", o.format)}
	}
	rules, err := lintRules(o.ignore)
	if err != nil {
		return err
	}
	set, unbuilt, broken := readManifests(t, names)
	for _, u := range unbuilt {
		set.Leave(u.File, u.Title, u.Err)
	}
	facts, err := nodeFacts(o.node)
	if err != nil {
		return err
	}
	if facts.Assumed, err = o.given.read(); err != nil {
		return err
	}
	facts.Named = o.given.version != ""
	result, err := lintResult(t, o, set, facts, rules)
	if err != nil {
		return err
	}
	if len(broken) > 0 {
		return usage{errors.Join(broken...)}
	}
	if len(result.Databases) == 0 && len(result.Unread) == 0 {
		fmt.Fprintln(t.err, "tare: "+diagnose.NoDatabase().In(o.lang))
	}
	if err := lintVerdict(result, o.failOn, o.lang); err != nil || !o.strict || len(result.Unread) == 0 {
		return err
	}
	return gate{errors.New(diagnose.NotReadStrict(len(result.Unread)).In(o.lang))}
}

// readManifests reads files and directories and builds their Kustomizations. broken is what cannot be read, unbuilt
// what cannot be built.
func readManifests(t *terminal, names []string) (set *manifest.Set, unbuilt []files.Unbuilt, broken []error) {
	names, built, unbuilt := files.Build(names)
	sources, broken := files.Read(t.in, names)
	set, problems := manifest.Read(append(sources, built...), os.ReadFile)
	for _, p := range problems {
		broken = append(broken, p)
	}
	return set, unbuilt, broken
}

// severities are those of findings, the gravest first.
func severities() []string {
	return []string{string(diagnose.Error), string(diagnose.Warning), string(diagnose.Note)}
}

// lintVerdict is the exit code as an error: 1 for anything found of a severity or a graver one.
func lintVerdict(r diagnose.Result, failOn, language string) error {
	counted := severities()[:slices.Index(severities(), failOn)+1]
	n := 0
	for _, f := range r.Findings {
		if f.Found() && slices.Contains(counted, string(f.Severity)) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return gate{errors.New(diagnose.Ending(n).In(language))}
}

func lintRules(ignore []string) ([]diagnose.Rule, error) {
	for _, id := range ignore {
		if _, ok := diagnose.Find(id); !ok {
			return nil, hinted{usage{fmt.Errorf("--ignore: unknown rule %s", id)}, "list the rules with: tare list rules"}
		}
	}
	return slices.DeleteFunc(diagnose.Rules(), func(r diagnose.Rule) bool { return r.Check == nil || slices.Contains(ignore, r.ID) }), nil
}

// print writes the result; programs get English in any language.
func (o lintOptions) print(w io.Writer, r diagnose.Result, rules []diagnose.Rule) error {
	switch o.format {
	case "json":
		return diagnose.JSON(w, r)
	case "sarif":
		return diagnose.SARIF(w, r, rules, versionString())
	}
	diagnose.Text(quoting{w}, r, o.lang)
	return nil
}

func nodeFacts(name string) (diagnose.Facts, error) {
	if name == "" {
		return diagnose.Facts{}, nil
	}
	text, err := files.Limited(nil, name)
	if err != nil {
		return diagnose.Facts{}, usage{fmt.Errorf("read node: %w", err)}
	}
	set, problems := manifest.Read([]manifest.Source{{Name: name, Text: text}}, nil)
	if len(problems) > 0 {
		return diagnose.Facts{}, usage{fmt.Errorf("read node: %w", problems[0])}
	}
	if manifest.NodeOf(set) == nil && set.Find("KubeletConfiguration", "") == nil {
		return diagnose.Facts{}, hinted{usage{fmt.Errorf("read node: %s has no Node and no KubeletConfiguration", name)},
			"`kubectl get node NAME -o yaml` prints one"}
	}
	return diagnose.Facts{Node: set}, nil
}

// lintResult prints the findings, those that are left after --fix, or with --diff only what
// --fix would change.
func lintResult(t *terminal, o lintOptions, set *manifest.Set, facts diagnose.Facts, rules []diagnose.Rule) (result diagnose.Result, err error) {
	result = diagnose.Settle(set, facts, rules, diagnose.Lint(set, facts, rules))
	switch {
	case o.diff:
		return result, printDiff(t, o.lang, set, result)
	case o.fix:
		if result, err = fixFiles(t, o.lang, set, facts, rules, result); err != nil {
			return result, err
		}
	}
	return result, o.print(t.out, result, rules)
}

// fixFiles writes what is certain into the files and judges them again.
func fixFiles(t *terminal, language string, set *manifest.Set, facts diagnose.Facts, rules []diagnose.Rule, r diagnose.Result) (diagnose.Result, error) {
	if err := changeable(set); err != nil {
		return r, err
	}
	after, err := set.Edited(r.Edits())
	if err != nil {
		return r, err
	}
	printEdits(t.err, language, set, r)
	if len(r.Edits()) == 0 && slices.ContainsFunc(r.Findings, diagnose.Finding.Found) {
		fmt.Fprintln(t.err, "tare: "+diagnose.NothingFixed().In(language))
	}
	if err := writeEdited(t, language, set, after); err != nil {
		return r, err
	}
	fixed, _ := manifest.Read(after, os.ReadFile)
	left := diagnose.Settle(fixed, facts, rules, diagnose.Lint(fixed, facts, rules))
	if n := errorsOf(left); n > 0 {
		fmt.Fprintln(t.err, "tare: "+diagnose.StillErrors(n).In(language))
	}
	return left, nil
}

// errorsOf is how many findings are errors.
func errorsOf(r diagnose.Result) (n int) {
	for _, f := range r.Findings {
		if f.Found() && f.Severity == diagnose.Error {
			n++
		}
	}
	return n
}

// changeable refuses a set that was partly read from standard input, which cannot be written.
func changeable(set *manifest.Set) error {
	if !slices.ContainsFunc(set.Files, func(f *manifest.File) bool { return f.Name == files.StandardInput }) {
		return nil
	}
	return hinted{usage{errors.New("change files: standard input is not a file that can be changed")},
		"save it as a file, or print the change with: tare lint --diff -"}
}

// writeEdited replaces the files that have changed.
func writeEdited(t *terminal, language string, set *manifest.Set, after []manifest.Source) error {
	for i, f := range set.Files {
		if bytes.Equal(f.Text, after[i].Text) {
			continue
		}
		if err := record.RewriteFile(f.Name, after[i].Text); err != nil {
			return fmt.Errorf("fix %s: %w", f.Name, err)
		}
		fmt.Fprintln(t.err, diagnose.Fixed(f.Name).In(language))
	}
	return nil
}
