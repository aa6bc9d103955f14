package main

// This file is `tare explain`: a rule at length, or what a run's counters show.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

func explainVerb(t *terminal) *cobra.Command {
	var lang string
	var o watchOptions
	live := &o.server
	c := &cobra.Command{
		Use:   "explain RULE | explain DIR | explain --live ADDRESS",
		Short: "Explain a rule, the causes found in a run, or why a running server is slow",
		Long: "With a rule: what happens, the impact, the fix and the sources. With a run directory: the verdict\n" +
			"of each rule for each arm (confirmed, ruled out or unknown) with its evidence, and where an average\n" +
			"transaction and the slowest transactions spend their time.\n\n" +
			"With --live: watch a server that another program loads, for the time of --for, and apply the rules to\n" +
			"its counters. No load is sent and nothing is changed. ADDRESS is the path of a socket, HOST or\n" +
			"HOST:PORT. The kernel's counters are read if the server runs on this machine. The password is read\n" +
			"from --password-file or MYSQL_PWD. --experiment FILE writes an experiment that measures the changes\n" +
			"for the confirmed causes. The exit code is 1 if a cause is confirmed.",
		Example: "  tare explain K-QOS-01\n  tare explain K-QOS-01 --lang zh\n  tare explain runs/qos\n" +
			"  tare explain --live /run/mysqld/mysqld.sock --for 60s\n  tare explain --live db.example.com --user admin --format json",
		ValidArgsFunction: ruleOrRun,
		Args: args(func(c *cobra.Command, a []string) error {
			if live.address != "" {
				return cobra.NoArgs(c, a)
			}
			return cobra.ExactArgs(1)(c, a)
		}),
		RunE: func(c *cobra.Command, a []string) error {
			if live.address != "" {
				return explainLive(c.Context(), t, o)
			}
			if info, err := os.Stat(a[0]); err == nil && info.IsDir() {
				return explainRun(t, a[0], o.format)
			}
			return explainRule(t, a[0], lang)
		},
	}
	formatFlag(c, &o.format, report.LiveFormats()...)
	c.Flags().Lookup("format").Usage += " (json for a run or --live, md for --live)"
	c.Flags().StringVar(&lang, "lang", "", ruleLanguageHelp)
	completeFlag(c, "lang", diagnose.Languages)
	c.Flags().StringVar(&live.address, "live", "", "watch the server at this address")
	c.Flags().DurationVar(&o.length, "for", time.Minute, "with --live: how long to watch")
	c.Flags().StringVar(&o.trial, "experiment", "", "with --live: write an experiment that measures the changes for the confirmed causes to this file")
	c.Flags().StringVar(&o.spec, "spec", "", "with --experiment: file with its database, data, load and protocol (default those of tare init)")
	c.Flags().StringVar(&o.database, "database", "", "with --experiment, without --spec: its server, as for tare init")
	c.Flags().BoolVar(&o.again, "watch", false, "with --live: continue, and print a report each time, until interrupted")
	liveFlags(c, live)
	return c
}

const ruleLanguageHelp = "language of the rules, en or zh (default: that of the locale)"

// explainRule prints a rule's page.
func explainRule(t *terminal, id, lang string) error {
	lang, err := ruleLanguage(t, lang)
	if err != nil {
		return err
	}
	r, ok := diagnose.Find(strings.ToUpper(id))
	if !ok {
		return hinted{usage{fmt.Errorf("unknown rule %s", id)}, "list the rules with: tare list rules"}
	}
	_, err = io.WriteString(t.out, r.Page(lang))
	return err
}

// ruleLanguage is the language that was asked for, or else that of the locale.
func ruleLanguage(t *terminal, lang string) (string, error) {
	if lang == "" {
		return t.locale(), nil
	}
	if !slices.Contains(diagnose.Languages(), lang) {
		return "", usage{fmt.Errorf("--lang: unknown language %s, expected %s", lang, strings.Join(diagnose.Languages(), " or "))}
	}
	return lang, nil
}

// explainRun says where each arm's transactions spend their time, and what every
// rule makes of its counters.
func explainRun(t *terminal, dir, format string) error {
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
		return report.ExplainText(t.out, all)
	case "md":
		return hinted{usage{errors.New("explain: --format md is for --live")}, "use: tare report " + dir + " --format md"}
	}
	enc := json.NewEncoder(t.out)
	enc.SetIndent("", " ")
	return enc.Encode(all)
}
