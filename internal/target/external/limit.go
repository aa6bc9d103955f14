package external

// This file limits how long a question to a server may take.

import (
	"context"
	"errors"
	"time"
)

// reachWithin is how long a server may take to answer a question.
const reachWithin = 5 * time.Second

// limitStep is the part of a limit that passes at a time.
const limitStep = 50 * time.Millisecond

// limited is a context that ends like one with a timeout.
type limited struct {
	context.Context
	done chan struct{}
}

// limit is context.WithTimeout, in time in which this machine runs: after a machine stood still,
// be it suspended, stolen from or short of CPU, the answers that came meanwhile have not been
// read, and a timeout would say that the server is silent.
func limit(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	l := limited{inner, make(chan struct{})}
	go func() {
		defer close(l.done)
		for passed := time.Duration(0); passed < within; passed += limitStep {
			select {
			case <-inner.Done():
				return
			case <-time.After(limitStep):
			}
		}
		cancel(context.DeadlineExceeded)
	}()
	return l, func() { cancel(context.Canceled) }
}

// Done is a channel of its own: contexts that are derived from this one ask for its Err.
func (l limited) Done() <-chan struct{} { return l.done }

func (l limited) Err() error {
	select {
	case <-l.done:
	default:
		return nil
	}
	if errors.Is(context.Cause(l.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return l.Context.Err()
}

// inTime asks a server one question.
func inTime(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := limit(ctx, reachWithin)
	defer cancel()
	return question(ctx)
}
