//go:build ignore

// Render writes the page of a result document: standard input to standard output, in
// the language that is its only argument.
// The checks in a browser open what it writes, so they see what readers see.
package main

import (
	"encoding/json"
	"fmt"
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
	var doc report.Document
	if err := json.NewDecoder(os.Stdin).Decode(&doc); err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	view := &doc
	if len(os.Args) > 1 {
		var err error
		if view, err = doc.In(os.Args[1]); err != nil {
			return fmt.Errorf("translate: %w", err)
		}
	}
	return report.HTML(os.Stdout, view, report.Embedded())
}
