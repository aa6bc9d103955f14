package wire

import (
	"bufio"
	"context"
	"fmt"
)

// chunk is how much of a load goes into a packet.
const chunk = 64 << 10

// Load runs a LOAD DATA LOCAL INFILE statement and answers the server's request
// for the file with data. The dialer must have LocalFiles set.
// https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_local_infile_request.html
func (s *Session) Load(ctx context.Context, sql string, data []byte) error {
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
	s.buf = s.buf[:0]
	sequence := byte(2)
	for {
		n := min(len(data), chunk)
		s.buf = append(s.buf, byte(n), byte(n>>8), byte(n>>16), sequence)
		s.buf = append(s.buf, data[:n]...)
		data, sequence = data[n:], sequence+1
		if n == 0 {
			break // an empty packet ends the file
		}
	}
	if _, err := s.conn.Write(s.buf); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if p, err = readPacket(in); err == nil && p[0] != 0 {
		err = fmt.Errorf("%w: end of LOAD DATA LOCAL INFILE", ErrProtocol)
	}
	return err
}
