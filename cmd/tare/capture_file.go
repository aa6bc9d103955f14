package main

// This file is `tare capture --log` and `--packets`: a log or a packet capture becomes a
// workload file.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/logtext"
)

// captureFile reads the file. A server, if one is named, is asked for the schema.
func captureFile(ctx context.Context, t *terminal, o captureOptions) error {
	path := cmp.Or(o.log, o.packets)
	f, err := logtext.Open(path, t.in)
	if err != nil {
		return usage{fmt.Errorf("capture: %w", err)}
	}
	defer f.Close()
	path = logtext.Name(path)
	seen, err := o.readUntil(ctx, f)
	if unread := []error{capture.ErrNoLog, capture.ErrNoPackets, logtext.ErrXZ, logtext.ErrZip, logtext.ErrTar}; slices.ContainsFunc(unread, func(e error) bool { return errors.Is(err, e) }) {
		return usage{fmt.Errorf("capture %s: %w", path, err)}
	}
	if err != nil {
		return fmt.Errorf("capture %s: %w", path, err)
	}
	var dictionary capture.Dictionary
	if o.server.address != "" {
		if seen.Schema == "" {
			return usage{fmt.Errorf("capture %s: no connection says which schema it uses; name it with --schema", path)}
		}
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
		return unreadable(fmt.Errorf("capture %s: %w", path, err))
	}
	return o.write(t, seen, d)
}

// readUntil is read until a signal: standard input may never end, and a large file takes minutes.
func (o captureOptions) readUntil(ctx context.Context, f io.Reader) (*capture.Seen, error) {
	type result struct {
		seen *capture.Seen
		err  error
	}
	read := make(chan result, 1)
	go func() {
		seen, err := o.read(f)
		read <- result{seen, err}
	}()
	select {
	case r := <-read:
		return r.seen, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// read reads the statements of the file.
func (o captureOptions) read(f io.Reader) (*capture.Seen, error) {
	if o.packets == "" {
		return capture.ReadLog(f, o.schema)
	}
	port := o.port
	if port == 0 && o.server.address != "" {
		a, err := o.server.server()
		if err != nil {
			return nil, usage{err}
		}
		if a.Port > math.MaxUint16 {
			return nil, usage{fmt.Errorf("%d is not a TCP port", a.Port)}
		}
		port = a.Port // of HOST:PORT; a socket has none
	}
	return capture.ReadPackets(f, uint16(cmp.Or(port, defaultPort)), o.schema)
}
