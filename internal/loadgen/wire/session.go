package wire

import (
	"context"
	"fmt"
	"net"
	"time"
)

// Session is a connection that still blocks: statements are prepared and the
// connection is set up with it, then Release hands it to an event loop.
type Session struct {
	conn    net.Conn // encrypted where TLS is on
	lower   *switched
	id      uint32
	version string
	buf     []byte
}

// Prepare prepares statements, all in one go, and returns their numbers.
func (s *Session) Prepare(ctx context.Context, statements []string) ([]uint32, error) {
	numbers := make([]uint32, 0, len(statements))
	// In portions: neither side may wait for the other with full buffers.
	const portion = 32
	for len(statements) > 0 {
		part := statements[:min(portion, len(statements))]
		statements = statements[len(part):]
		s.buf = s.buf[:0]
		for _, sql := range part {
			s.buf = AppendPrepare(s.buf, sql)
		}
		err := s.exchange(ctx, len(part), (*Response).ResetPrepare, func(r *Response, i int) error {
			if r.Code != 0 {
				return fmt.Errorf("prepare %q: %w", part[i], &ServerError{r.Code, r.Message()})
			}
			numbers = append(numbers, r.Statement)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// Send sends a command that was appended to a buffer and follows its answer.
func (s *Session) Send(ctx context.Context, command []byte) error {
	s.buf = append(s.buf[:0], command...)
	return s.exchange(ctx, 1, (*Response).Reset, refusal)
}

func refusal(r *Response, _ int) error {
	if r.Code != 0 {
		return &ServerError{r.Code, r.Message()}
	}
	return nil
}

// Exec runs one statement and steps over its result.
func (s *Session) Exec(ctx context.Context, sql string) error {
	s.buf = AppendQuery(s.buf[:0], sql)
	return s.exchange(ctx, 1, (*Response).Reset, refusal)
}

// bounded ends what the connection waits for when ctx ends.
func (s *Session) bounded(ctx context.Context) (release func() bool) {
	deadline, _ := ctx.Deadline()
	_ = s.conn.SetDeadline(deadline)
	return context.AfterFunc(ctx, func() { _ = s.conn.SetDeadline(time.Unix(1, 0)) })
}

// exchange sends s.buf and follows n answers.
func (s *Session) exchange(ctx context.Context, n int, reset func(*Response), each func(*Response, int) error) error {
	defer s.bounded(ctx)()
	if _, err := s.conn.Write(s.buf); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	var r Response
	in := make([]byte, 16<<10)
	var rest []byte
	for i := range n {
		reset(&r)
		for done := false; !done; {
			if len(rest) == 0 {
				got, err := s.conn.Read(in)
				if err != nil {
					return fmt.Errorf("receive: %w", err)
				}
				rest = in[:got]
			}
			used, d, err := r.Feed(rest)
			if err != nil {
				return err
			}
			rest, done = rest[used:], d
		}
		if err := each(&r, i); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the session without a word to the server.
func (s *Session) Close() error { return s.lower.Close() }
