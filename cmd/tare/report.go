package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

func reportVerb(t *terminal) *cobra.Command {
	var format, lang string
	var unseal bool
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Show a run's results",
		Long: "Show the results of a run: every arm against the baseline with 95% confidence intervals, the causes that\n" +
			"counters show, and what limits the conclusions. --format html writes the page that the run directory\n" +
			"also has as report.html.",
		Example:           "  tare report runs/first\n  tare report runs/first -o html > report.html",
		ValidArgsFunction: directories(1),
		Args:              args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			doc, err := buildUnsealed(a[0], unseal)
			if err != nil {
				return usage{err}
			}
			if lang != "" {
				if doc, err = doc.In(lang); err != nil {
					return usage{fmt.Errorf("--lang: %w", err)}
				}
			}
			return render(t, t.out, doc, format)
		},
	}
	formatFlag(c, &format, "text", "md", "json", "html")
	langFlag(c, &lang)
	unsealFlag(c, &unseal)
	return c
}

func langFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "lang", "", "language: "+strings.Join(language.Tags(), " or ")+" (default: of text the locale's, of a page the browser's)")
	completeFlag(c, "lang", language.Tags)
}

// buildReport reads a run and compares its arms: everything after the record can be
// done again from the files.
func buildReport(dir string) (*report.Document, error) {
	run, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	return report.Build(run, versionString())
}

func unsealFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "unseal", false, "show results of a run that is not finished; the run directory records it and every later report says so")
}

// buildUnsealed is buildReport that may look at the results of a run before its end.
func buildUnsealed(dir string, unseal bool) (*report.Document, error) {
	run, err := openUnsealed(dir, unseal)
	if err != nil {
		return nil, err
	}
	return report.Build(run, versionString())
}

func openUnsealed(dir string, unseal bool) (*record.Run, error) {
	run, err := record.Open(dir)
	if err != nil || !unseal {
		return run, err
	}
	if err := run.Unseal(time.Now()); err != nil {
		return nil, err
	}
	return run, nil
}

// formats is the table of what a result can be written as.
func formats(t *terminal, out io.Writer) map[string]func(*report.Document) error {
	return map[string]func(*report.Document) error{
		"text": func(d *report.Document) error { return text.Write(out, inLocale(t, d), t.textOptions(out)) },
		"md":   func(d *report.Document) error { return markdown.Write(out, d) },
		"json": func(d *report.Document) error { return report.JSON(out, d) },
		"html": func(d *report.Document) error { return page.Write(out, d, page.Embedded()) },
	}
}

func render(t *terminal, out io.Writer, doc *report.Document, format string) error {
	write, ok := formats(t, out)[format]
	if !ok {
		return usage{fmt.Errorf("unknown format %q; use text, md, json or html", format)}
	}
	return write(doc)
}

// keepReport puts the verdict and the page into the run directory and returns
// the page's path.
func keepReport(dir string, doc *report.Document) (string, error) {
	var verdict, html bytes.Buffer
	if err := report.JSON(&verdict, doc); err != nil {
		return "", err
	}
	if err := page.Write(&html, doc, page.Embedded()); err != nil {
		return "", err
	}
	if err := record.WriteFile(filepath.Join(dir, record.VerdictFile), verdict.Bytes()); err != nil {
		return "", err
	}
	path := filepath.Join(dir, record.ReportFile)
	return path, record.WriteFile(path, html.Bytes())
}

// translatable is a document, of a run or of two, that has its sentences in several languages.
type translatable[D any] interface {
	In(tag string) (D, error)
	Translated() bool
}

// inLocale puts a document for which no language was asked into the one of the
// terminal.
func inLocale[D translatable[D]](t *terminal, doc D) D {
	if local, err := doc.In(t.locale()); err == nil && !doc.Translated() {
		return local
	}
	return doc
}

// locale is the language of the terminal, where tare has it and the terminal its letters;
// else "".
func (t *terminal) locale() string {
	if !t.unicode() {
		return ""
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := os.Getenv(name); v != "" {
			return language.For(v)
		}
	}
	return ""
}

// textOptions follows the terminal: its width, and whether it takes colour and
// more than ASCII.
func (t *terminal) textOptions(out io.Writer) text.Options {
	return text.Options{Width: width(out), Color: t.colored(out), Unicode: t.unicode()}
}

// width is the terminal's, else COLUMNS, else 80.
func width(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	var w int
	if _, err := fmt.Sscan(os.Getenv("COLUMNS"), &w); err == nil && w > 0 {
		return w
	}
	return 80
}

// height is the terminal's, else 24 lines.
func height(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if _, h, err := term.GetSize(int(f.Fd())); err == nil && h > 0 {
			return h
		}
	}
	return 24
}
