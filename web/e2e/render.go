//go:build ignore

// Render writes the page of a result document, or of two runs compared: standard input to
// standard output, in the language that is its only argument.
// The checks in a browser open what it writes, so they see what readers see.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/tarebench/tare/internal/report"
)

func main() {
	if err := render(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render() error {
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
		return write(input, view, view.In, report.SessionsHTML)
	}
	view := &report.Document{}
	return write(input, view, view.In, report.HTML)
}

func write[D any](input []byte, view *D, in func(lang string) (*D, error), html func(io.Writer, *D, report.Assets) error) error {
	if err := json.Unmarshal(input, view); err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	if len(os.Args) > 1 {
		var err error
		if view, err = in(os.Args[1]); err != nil {
			return fmt.Errorf("translate: %w", err)
		}
	}
	return html(os.Stdout, view, report.Embedded())
}
