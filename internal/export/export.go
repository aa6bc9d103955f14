// Package export writes a result in the formats that other programs read: tables for analysis, files for CI and for
// Go's benchmark tools, samples for Prometheus.
//
// Every format is a view of the result document and computes nothing: a number
// in a spreadsheet is the number of the report.
package export

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/report"
)

// Options are the few things a reader of a format can choose.
type Options struct {
	// Excel puts a quote before cells of text that a spreadsheet would take for a
	// formula. Off, cells are what they are.
	Excel bool
	// StrictJUnit makes an inconclusive verdict a failure, not a skipped test.
	StrictJUnit bool
	// Gates are the tests of JUnit in the place of the margin, where conditions were given.
	Gates []report.Gate
}

// Format is one way to write a result. Exactly one of File and Tables is set.
type Format struct {
	Name, Help string
	// File writes a format of one file.
	File func(w io.Writer, doc *report.Document, o Options) error
	// Tables writes a format of several files, one for each table; Suffix is what
	// their names end in.
	Tables func(w io.Writer, doc *report.Document, t Table, o Options) error
	Suffix string
}

// Formats is the table of them.
func Formats() []Format {
	return []Format{
		{Name: "benchfmt", Help: "Go's benchmark format, a line for each trial: benchstat reads it", File: benchfmtFile},
		{Name: "csv", Help: "tables " + tableNames() + " as CSV (RFC 4180)", Tables: csvTable, Suffix: ".csv"},
		{Name: "junit", Help: "a test for each comparison, for CI", File: junitFile},
		{Name: "parquet", Help: "the same tables as Parquet, for DuckDB and pandas", Tables: parquetTable, Suffix: ".parquet"},
		{Name: "prometheus", Help: "samples in Prometheus's text format, for a textfile collector or a push", File: prometheusFile},
	}
}

// Directory writes the tables of a format into dir, which it makes. It writes
// over files of an earlier export and touches no other.
func Directory(dir string, f Format, doc *report.Document, o Options) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	for _, t := range Tables() {
		path := filepath.Join(dir, t.Name+f.Suffix)
		if err := File(path, func(w io.Writer) error { return f.Tables(w, doc, t, o) }); err != nil {
			return err
		}
	}
	return nil
}

// File writes a file by write and says when the last byte did not reach the disk.
func File(path string, write func(io.Writer) error) error {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	if err := write(out); err != nil {
		out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return nil
}
