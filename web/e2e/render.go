//go:build ignore

// Render writes a page to standard output: of a recorded run, or of the document on
// standard input, which is a result or two runs compared.
// The checks in a browser open what it writes, so they see what readers see.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/page"
)

func main() {
	if err := render(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render() error {
	dir := flag.String("run", "", "a recorded run, in place of a document")
	lang := flag.String("lang", "", "the language of the page")
	flag.Parse()
	if *dir != "" {
		run, err := record.Open(*dir)
		if err != nil {
			return fmt.Errorf("open run: %w", err)
		}
		view, err := report.Build(run, "test")
		if err != nil {
			return fmt.Errorf("build report: %w", err)
		}
		return write(view, *lang, view.In, page.Write)
	}
	return renderDocument(*lang)
}

func renderDocument(lang string) error {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	var kind struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(input, &kind); err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	if kind.Schema == report.SessionsSchema {
		view := &report.Sessions{}
		if err := json.Unmarshal(input, view); err != nil {
			return fmt.Errorf("read comparison: %w", err)
		}
		return write(view, lang, view.In, page.Sessions)
	}
	view := &report.Document{}
	if err := json.Unmarshal(input, view); err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	return write(view, lang, view.In, page.Write)
}

func write[D any](view *D, lang string, in func(lang string) (*D, error), html func(io.Writer, *D, page.Assets) error) error {
	if lang != "" {
		var err error
		if view, err = in(lang); err != nil {
			return fmt.Errorf("translate: %w", err)
		}
	}
	return html(os.Stdout, view, page.Embedded())
}
