package wire

import (
	"bufio"
	"context"
	"fmt"
)

// Piece is about how much of a file a packet of a load should hold: few enough bytes
// to stay in the processor's cache on both sides, many enough for a system call.
const Piece = 64 << 10

// Load runs a LOAD DATA LOCAL INFILE statement and answers the server's request
// for the file. Each call of next appends one more piece, below 16 MiB, to the buffer
// and says whether more follow; the server works on a piece while the next is made.
// If the server refuses, next is not called. The dialer must have LocalFiles set.
// https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_local_infile_request.html
func (s *Session) Load(ctx context.Context, sql string, next func([]byte) ([]byte, bool)) error {
	defer s.bounded(ctx)()
	s.buf = AppendQuery(s.buf[:0], sql)
	if _, err := s.conn.Write(s.buf); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	in := bufio.NewReader(s.conn)
	p, err := readPacket(in)
	if err != nil {
		return err
	}
	if p[0] != 0xfb {
		return fmt.Errorf("%w: answer to LOAD DATA LOCAL INFILE", ErrProtocol)
	}
	if err := s.sendFile(next); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if p, err = readPacket(in); err == nil && p[0] != 0 {
		err = fmt.Errorf("%w: end of LOAD DATA LOCAL INFILE", ErrProtocol)
	}
	return err
}

func (s *Session) sendFile(next func([]byte) ([]byte, bool)) error {
	sequence := byte(2)
	for more := true; more; {
		s.buf, more = next(append(s.buf[:0], 0, 0, 0, 0))
		if len(s.buf) > headerSize {
			s.buf = Finish(s.buf, 0)
			s.buf[3] = sequence
			sequence++
		} else {
			s.buf = s.buf[:0]
		}
		if !more {
			s.buf = append(s.buf, 0, 0, 0, sequence) // an empty packet ends the file
		}
		if _, err := s.conn.Write(s.buf); err != nil {
			return err
		}
	}
	return nil
}
