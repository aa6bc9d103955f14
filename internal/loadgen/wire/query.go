package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// largestResult bounds what Query keeps of a result.
const largestResult = 64 << 20

// Query runs one statement and returns its rows as text, NULL as "NULL". It is
// for administration: everything is kept in memory. (The library's own Execute
// sends query attributes whenever the server knows them, also when they were not
// negotiated.)
func (s *Session) Query(ctx context.Context, sql string) ([][]string, error) {
	rows, err := s.QueryBytes(ctx, sql)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, row := range rows {
		texts := make([]string, len(row))
		for i, b := range row {
			if texts[i] = string(b); b == nil {
				texts[i] = "NULL"
			}
		}
		out = append(out, texts)
	}
	return out, nil
}

// QueryBytes is Query with NULL as nil.
func (s *Session) QueryBytes(ctx context.Context, sql string) ([][][]byte, error) {
	defer s.bounded(ctx)()
	s.buf = AppendQuery(s.buf[:0], sql)
	if _, err := s.conn.Write(s.buf); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	rows, err := readRows(bufio.NewReader(s.conn))
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return rows, nil
}

// readRows reads an answer in the text protocol to its end.
func readRows(in *bufio.Reader) ([][][]byte, error) {
	first, err := readPacket(in)
	if err != nil {
		return nil, err
	}
	columns, _, ok := LengthEncoded(first)
	switch {
	case first[0] == 0:
		return nil, nil // OK: no rows
	case !ok || columns > 4096:
		return nil, fmt.Errorf("%w: answer to a query", ErrProtocol)
	}
	for range columns + 1 { // the definitions and their EOF
		if _, err := readPacket(in); err != nil {
			return nil, err
		}
	}
	var rows [][][]byte
	for size := 0; size < largestResult; {
		p, err := readPacket(in)
		if err != nil {
			return nil, err
		}
		if p[0] == 0xfe && len(p) < 9 {
			return rows, nil
		}
		row, err := textRow(p, int(columns))
		if err != nil {
			return nil, err
		}
		size += len(p)
		rows = append(rows, row)
	}
	return nil, fmt.Errorf("%w: a result above %d bytes", ErrProtocol, largestResult)
}

// readPacket reads one packet of at least one byte; an ERR packet is an error.
func readPacket(in *bufio.Reader) ([]byte, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(in, h[:]); err != nil {
		return nil, err
	}
	n := int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	if n == 0 || n == LargestPacket {
		return nil, fmt.Errorf("%w: packet of %d bytes", ErrProtocol, n)
	}
	p := make([]byte, n)
	if _, err := io.ReadFull(in, p); err != nil {
		return nil, err
	}
	if p[0] == 0xff {
		var r Response
		if err := r.failure(p); err != nil {
			return nil, err
		}
		return nil, &ServerError{r.Code, r.Message()}
	}
	return p, nil
}

func textRow(p []byte, columns int) ([][]byte, error) {
	row := make([][]byte, 0, columns)
	for range columns {
		if len(p) > 0 && p[0] == 0xfb {
			row, p = append(row, nil), p[1:]
			continue
		}
		n, size, ok := LengthEncoded(p)
		if !ok || n > uint64(len(p)-size) {
			return nil, fmt.Errorf("%w: short row", ErrProtocol)
		}
		row, p = append(row, p[size:size+int(n):size+int(n)]), p[size+int(n):]
	}
	return row, nil
}
