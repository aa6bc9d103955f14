// Command recompute calculates the figures of a report again, from the lines of the run's
// streams, and names every figure that differs. It shares no code with tare: it reads the JSON
// of docs/record.md and follows docs/method.md and docs/statistics.md with the simplest arithmetic there is.
//
//	go run ./research/recompute DIR [verdict.json]
//
// The document is DIR/verdict.json, or the file that the second argument names, which may be
// from `tare report DIR --format json`. The exit status is 1 if a figure differs.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: recompute DIR [verdict.json]")
		os.Exit(2)
	}
	document := filepath.Join(os.Args[1], "verdict.json")
	if len(os.Args) == 3 {
		document = os.Args[2]
	}
	checked, differ, err := run(os.Args[1], document)
	if err != nil {
		fmt.Fprintln(os.Stderr, "recompute:", err)
		os.Exit(2)
	}
	for _, d := range differ {
		fmt.Println(d)
	}
	fmt.Printf("%d figures calculated again, %d differ\n", checked, len(differ))
	if len(differ) > 0 || checked == 0 {
		os.Exit(1)
	}
}

// run compares a document with the streams of its run.
func run(dir, document string) (checked int, differ []string, err error) {
	var doc report
	if err := readJSON(document, &doc); err != nil {
		return 0, nil, err
	}
	trials, err := readTrials(dir)
	if err != nil {
		return 0, nil, err
	}
	c := checker{doc: &doc, trials: trials}
	c.arms()
	c.contrasts()
	c.metrics()
	c.pools()
	c.budgets()
	return c.checked, c.differ, nil
}

func readJSON(path string, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
