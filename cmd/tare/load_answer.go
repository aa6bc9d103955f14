package main

// This file asks the server of `tare load` for a first connection, so that one that does not answer is told in words.

import (
	"context"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
)

// firstAnswerWithin bounds the first connection. The kernel accepts connections for a process that is stopped, and the
// load tries each of its own several times.
const firstAnswerWithin = 10 * time.Second

// answers makes one connection and ends it.
func (o *loadOptions) answers(ctx context.Context) error {
	d, err := wire.NewDialer(o.address)
	if err != nil {
		return usage{err}
	}
	limited, cancel := context.WithTimeout(ctx, firstAnswerWithin)
	defer cancel()
	end, _ := limited.Deadline()
	s, err := d.Dial(limited)
	switch {
	case err == nil:
		return s.Close()
	case ctx.Err() != nil:
		return fmt.Errorf("load: %w", context.Cause(ctx))
	case !time.Now().Before(end): // whatever the library calls it
		return fmt.Errorf("load: connect: %w", mysqld.NoAnswer(firstAnswerWithin))
	}
	return err
}
