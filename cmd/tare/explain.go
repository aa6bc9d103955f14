package main

// This file is `tare explain`: a rule at length, or what a run's counters show.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/live"
	"github.com/tarebench/tare/internal/report/text"
)

func explainVerb(t *terminal) *cobra.Command {
	var lang string
	var o watchOptions
	server := &o.server
	c := &cobra.Command{
		Use:   "explain RULE | explain TERM | explain DIR | explain [--live] ADDRESS | explain -n NAMESPACE POD",
		Short: "Explain a rule or a term, the causes found in a run, or why a running server is slow",
		Long: "With a rule: what happens, the impact, the fix and the sources. With a term of the reports, such as round or\n" +
			"margin: what it means. With a run directory: the verdict\n" +
			"of each rule for each arm (present, explains, proved, ruled out or unknown) with its evidence, and where an average\n" +
			"transaction and the slowest transactions spend their time.\n\n" +
			"With --live: watch a server that another program loads, for the time of --for, and apply the rules to\n" +
			"its counters. No load is sent and nothing is changed. The kernel's counters are read if the server runs on\n" +
			"this machine. --live can be left out where ADDRESS is a socket, HOST:PORT or mysql://USER@HOST:PORT.\n" +
			addressHelp + "\n--experiment FILE writes an experiment that measures the changes\n" +
			"for the causes that are present. --watch continues after the first report. It prints one line for each span, with the\n" +
			"causes that appeared or are no longer present. The exit code is 1 if a cause was present.\n\n" +
			"With -n NAMESPACE: watch the server in a pod of a cluster, over a forwarded port. The kernel's counters are\n" +
			"read by a pod on the server's node with --probe-namespace. Without these, the counters of the\n" +
			"kubelet's cAdvisor are used if your permissions allow it. See docs/live.md.",
		Example: "  tare explain K-QOS-01\n  tare explain K-QOS-01 --lang zh\n  tare explain margin\n  tare explain runs/qos\n" +
			"  tare explain --live /run/mysqld/mysqld.sock --for 60s\n  tare explain --host db.example.com --user admin --format json\n" +
			"  kubectl tare explain -n shop db-0 --user monitor --password-file secret",
		ValidArgsFunction: ruleOrRun,
		Args: args(func(c *cobra.Command, a []string) error {
			if server.given() {
				if o.pod.named(c) {
					return errors.New("--live is for a server outside a cluster; leave it out for a pod")
				}
				return cobra.NoArgs(c, a)
			}
			if !o.pod.named(c) {
				a = oneTerm(a)
			}
			return cobra.ExactArgs(1)(c, a)
		}),
		RunE: func(c *cobra.Command, a []string) error {
			lang, err := ruleLanguage(t, lang)
			if err != nil {
				return err
			}
			inPod := o.pod.named(c)
			if !inPod {
				a = oneTerm(a)
			}
			if inPod {
				o.pod.name, o.pod.port, server.port = a[0], cmp.Or(server.port, defaultPort), 0
			} else if server.given() || isAddress(a[0]) {
				if err := server.name("explain", a); err != nil {
					return err
				}
			}
			if server.address != "" || inPod {
				if o.language, err = language.Of(lang); err != nil {
					return err
				}
				return explainLive(c.Context(), t, o)
			}
			info, err := os.Stat(a[0])
			run := err == nil && info.IsDir()
			if err := ofRunning(c, a[0], run); err != nil {
				return err
			}
			if run {
				return explainRun(t, a[0], o.format, lang)
			}
			if l, err := language.Of(lang); err == nil && l.Term(a[0]) != "" {
				_, err := fmt.Fprintf(t.out, "%s: %s\n", strings.ToLower(a[0]), l.Term(a[0]))
				return err
			}
			return explainRule(t, a[0], lang)
		},
	}
	formatFlag(c, &o.format, live.Formats()...)
	c.Flags().Lookup("format").Usage += " (md and html for a running server)"
	c.Flags().StringVar(&lang, "lang", "", findingLanguageHelp)
	completeFlag(c, "lang", diagnose.Languages)
	c.Flags().Var((*liveAddress)(&server.address), "live", "watch the server at this address")
	spanFlag(c.Flags(), &o.length, "for", time.Minute, "of a running server: how long to watch")
	c.Flags().StringVar(&o.trial, "experiment", "", "of a running server outside a cluster: write an experiment that measures the changes for the causes that are present to this file")
	c.Flags().StringVar(&o.spec, "spec", "", "with --experiment: file with its database, data, load and protocol (default those of tare init)")
	c.Flags().StringVar(&o.database, "database", "", "with --experiment, without --spec: its server, as for tare init")
	c.Flags().BoolVar(&o.again, "watch", false, "of a running server: continue until interrupted; after the first report, text output prints one line and the changed causes for each span")
	liveFlags(c, server, "")
	c.Flags().Lookup("port").Usage = "port of the server, also of the one in POD (default 3306)"
	o.pod.flags(c)
	return c
}

// oneTerm joins the words of a term of several words, which a shell splits. Files and servers stay apart.
func oneTerm(a []string) []string {
	for _, word := range a {
		if _, err := os.Stat(word); err == nil || isAddress(word) || strings.Contains(word, "/") || ruleID.MatchString(word) {
			return a
		}
	}
	if len(a) < 2 {
		return a
	}
	return []string{strings.Join(a, " ")}
}

// hostAndPort is what HOST:PORT looks like.
var hostAndPort = regexp.MustCompile(`^\S+:[0-9]+$`)

// isAddress tells whether an argument of explain is a server, and not a rule, a term or a run directory.
func isAddress(argument string) bool {
	if info, err := os.Stat(argument); err == nil {
		return info.Mode()&os.ModeSocket != 0
	}
	return strings.HasPrefix(argument, "mysql://") || strings.HasPrefix(argument, "mariadb://") ||
		strings.HasPrefix(argument, "/") && strings.HasSuffix(argument, ".sock") || hostAndPort.MatchString(argument)
}

const (
	ruleLanguageHelp    = "language of the rules, en or zh (default: that of the locale)"
	findingLanguageHelp = "language of text, Markdown and HTML, en or zh (default: that of the locale)"
)

// ruleID is what the id of a rule looks like.
var ruleID = regexp.MustCompile(`(?i)^[a-z]+-[a-z0-9]+-[0-9]+$`)

// explainRule prints a rule's page.
func explainRule(t *terminal, id, lang string) error {
	r, ok := diagnose.Find(strings.ToUpper(id))
	if !ok {
		err := usage{fmt.Errorf("unknown rule %s", id)}
		if !ruleID.MatchString(id) {
			return hinted{usage{fmt.Errorf("explain: %s is not a rule, a term, a run directory or a server", id)}, unknownTopic()}
		}
		return hinted{err, "list the rules with: tare list rules"}
	}
	_, err := io.WriteString(t.out, r.Page(lang))
	return err
}

// unknownTopic says what explain takes.
func unknownTopic() string {
	return "terms: " + strings.Join(slices.Sorted(maps.Keys(language.English().Terms)), ", ") + "\n  rules: tare list rules; of a server, write HOST:PORT or a socket's path; of a pod, add its namespace: -n NAMESPACE"
}

// ruleLanguage is the language that was asked for, or else that of the locale, or English.
func ruleLanguage(t *terminal, lang string) (string, error) {
	if lang == "" {
		return cmp.Or(t.locale(), "en"), nil
	}
	if !slices.Contains(diagnose.Languages(), lang) {
		return "", usage{fmt.Errorf("--lang: unknown language %s, expected %s", lang, strings.Join(diagnose.Languages(), " or "))}
	}
	return lang, nil
}

// explainRun says where each arm's transactions spend their time, and what every
// rule makes of its counters.
func explainRun(t *terminal, dir, format, lang string) error {
	run, err := record.Open(dir)
	if err != nil {
		return usage{err}
	}
	if run.Imported != nil {
		return hinted{usage{fmt.Errorf("explain: %s was imported from %s logs, which have no counters of the server or the machine: no rule can be checked", dir, run.Imported.Format)},
			"tare report " + dir + " shows throughput and latency"}
	}
	res := compare.Run(run)
	if res.Sealed {
		return hinted{usage{fmt.Errorf("explain: %s is not finished; causes are shown when all trials are complete, so that no one stops a run because of them", dir)},
			"finish it with: tare run --resume " + dir}
	}
	all := report.Explain(run, res)
	switch format {
	case "text":
		columns := text.Width
		if isTerminal(t.out) {
			columns = width(t.out)
		}
		return text.Explain(t.out, all, lang, columns)
	case "md", "html":
		return hinted{usage{fmt.Errorf("explain: --format %s is for --live", format)}, "use: tare report " + dir + " --format " + format}
	}
	enc := json.NewEncoder(t.out)
	enc.SetIndent("", " ")
	return enc.Encode(all)
}
