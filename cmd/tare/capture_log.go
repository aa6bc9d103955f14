package main

// This file is `tare capture --log`: a slow log or a general log becomes a workload file.

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tarebench/tare/internal/capture"
)

// captureLog reads the log. A server, if one is named, is asked for the schema.
func captureLog(ctx context.Context, t *terminal, o captureOptions) error {
	f, err := os.Open(o.log)
	if err != nil {
		return usage{fmt.Errorf("capture: %w", err)}
	}
	defer f.Close()
	seen, err := capture.ReadLog(f, o.schema)
	if errors.Is(err, capture.ErrNoLog) {
		return usage{fmt.Errorf("capture %s: %w", o.log, err)}
	}
	if err != nil {
		return fmt.Errorf("capture %s: %w", o.log, err)
	}
	var dictionary capture.Dictionary
	if o.server.address != "" {
		db, _, err := o.server.open()
		if err != nil {
			return usage{fmt.Errorf("capture: %w", err)}
		}
		defer db.Close()
		dictionary.DB = db
	}
	bounded, cancel := context.WithTimeout(ctx, describeWithin)
	defer cancel()
	d, err := capture.Describe(bounded, seen, dictionary, capture.Options{Name: o.name(), HashNames: o.hashNames})
	if err != nil {
		return fmt.Errorf("capture %s: %w", o.log, err)
	}
	return o.write(t, seen, d)
}
