// Package packets reads the statements that clients sent to a MySQL server from a packet capture.
//
// Link types, IP, TCP and its reassembly are gopacket's. What is here follows the MySQL protocol
// in both directions of each connection. What cannot be read (encrypted, compressed, lost) is
// counted in [Seen] and never guessed.
package packets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Bounds of what is kept in memory.
const (
	longestStatement = 1 << 20  // bytes of a command; a longer one is counted and not read
	mostHeld         = 64 << 20 // bytes of commands and prepared statements of all connections
	mostConnections  = 1 << 16  // that are open at once
	mostCommands     = 1 << 10  // of a connection that wait for their answers
	mostPrepared     = 1 << 14  // of a connection: max_prepared_stmt_count's default is 16382
)

// Statement is a statement that a client sent.
type Statement struct {
	Connection int64
	// Start is when the client had sent the command, End when the server had sent the whole
	// answer, in milliseconds since 1970, at the place of the capture. End is NaN without
	// Answered, and both are where the packets have no time.
	Start, End float64
	Schema     string
	Text       string  // as it was sent: with literals, or with question marks for Values
	Values     []Value // of a prepared statement; nil if they cannot be read
	Prepared   bool
	Length     int // of the command, in bytes
	// Answered says that the file has the whole answer. Rows and Affected are then those of
	// the statement, and Failed says that it is an error.
	Answered, Failed bool
	Rows, Affected   float64
	// Transaction is the number of the transaction of the connection that it was part of, by
	// the server's status flag; 0 if it was part of none.
	Transaction int64
	// Gap says that statements of this connection may be missing before it.
	Gap bool
}

// Value is that of a parameter. It is valid until the function that got it returns.
type Value struct {
	wire.Value
	Unknown bool // it was sent in parts (COM_STMT_SEND_LONG_DATA)
}

// ErrNoCapture is the error of a file in another format.
var ErrNoCapture = errors.New("it is not a packet capture in pcap or pcapng format")

// Read gives each statement to a function, in the order in which the answers of a connection
// ended. port is that of the server.
func Read(in io.Reader, port uint16, each func(Statement)) (*Seen, error) {
	s, err := open(in)
	if err != nil {
		return nil, err
	}
	r := newReader(port, each)
	return r.seen, r.all(s)
}

// all reads a capture to its end, and ends the connections that are still open there.
func (r *reader) all(s *source) error {
	for {
		p, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && s.in.err != nil {
			return fmt.Errorf("read packets: %w", s.in.err)
		}
		if err != nil { // cut off: tcpdump was killed, or the disk was full
			r.seen.Incomplete = true
			break
		}
		r.take(p)
	}
	if s.packed != nil && s.packed.err != nil { // the reader of the format may take it for the end
		r.seen.Incomplete = true
	}
	r.assembler.FlushAll()
	return nil
}

// milliseconds since 1970; NaN of a packet without a time.
func milliseconds(t time.Time) float64 {
	if t.IsZero() {
		return math.NaN()
	}
	return float64(t.UnixNano()) / 1e6
}
