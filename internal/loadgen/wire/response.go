package wire

import (
	"errors"
	"fmt"
)

// Status flags of the server (include/mysql_com.h).
const (
	StatusInTransaction = 0x0001
	statusMoreResults   = 0x0008
)

// ErrProtocol is an answer that the protocol does not allow. The connection
// cannot be used any more.
var ErrProtocol = errors.New("not the MySQL protocol")

// keep is how much of a packet that arrives in pieces is kept. OK and EOF packets
// are below 30 bytes; an ERR packet has at most 512 bytes of message
// (MYSQL_ERRMSG_SIZE), and the rest of a longer one is not needed.
const keep = 544

type phase uint8

const (
	expectResult phase = iota // OK, ERR or the number of columns
	expectPrepared
	expectParameters // definitions after COM_STMT_PREPARE
	expectColumns
	expectRows
	finished
)

// Response follows the answer to one command, however it is cut into reads. It
// keeps nothing of a result but its counts and, where it was asked to, one row;
// the others are stepped over, never copied.
// The zero value expects the answer to COM_QUERY or COM_STMT_EXECUTE.
type Response struct {
	phase    phase
	prepare  bool
	sequence uint8
	// continued says that the packet is the next part of a payload of 16 MiB.
	continued bool
	skip      uint32 // bytes of the current packet not yet received
	columns   uint32 // definitions not yet received
	afterward uint32 // column definitions that follow the parameters'
	kept      uint16

	// Status are the server's status flags of the last OK or EOF packet.
	Status uint16
	// Code is the server's error code, 0 for none.
	Code uint16
	// Statement is the number of a prepared statement.
	Statement uint32
	// Rows counts the rows of all result sets of this answer.
	Rows uint32
	// Affected and InsertID are those of the last OK packet.
	Affected uint64
	InsertID uint64

	row  *Row
	part [keep]byte
}

// Reset prepares r for the answer to COM_QUERY or COM_STMT_EXECUTE.
func (r *Response) Reset() {
	r.phase, r.prepare, r.sequence, r.continued = expectResult, false, 1, false
	r.skip, r.columns, r.afterward, r.kept, r.row = 0, 0, 0, 0, nil
	r.Status, r.Code, r.Rows, r.Affected, r.InsertID = 0, 0, 0, 0, 0
}

// Keep asks, after Reset, for one row of the answer.
func (r *Response) Keep(row *Row) {
	row.begin()
	r.row = row
}

// ResetPrepare prepares r for the answer to COM_STMT_PREPARE.
func (r *Response) ResetPrepare() {
	r.Reset()
	r.phase, r.prepare = expectPrepared, true
}

// Message is the text of the server's error: valid after an answer with a Code
// and until the next Reset.
func (r *Response) Message() string {
	if r.Code == 0 {
		return ""
	}
	return string(r.part[:r.kept])
}

// Feed takes what was received next, returns how much of it belongs to this
// answer, and whether the answer is complete. It never blocks and allocates
// only to build an error.
func (r *Response) Feed(b []byte) (used int, done bool, err error) {
	at := 0
	for at < len(b) && (r.phase != finished || r.skip > 0) {
		if r.skip > 0 {
			n := min(int(r.skip), len(b)-at)
			r.skip -= uint32(n)
			at += n
			continue
		}
		if r.kept == 0 && len(b)-at >= headerSize {
			n := int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16
			if end := at + headerSize + n; end <= len(b) {
				if err := r.packet(b[at+3], n, b[at+headerSize:end]); err != nil {
					return at, false, err
				}
				at = end
				continue
			}
		}
		n, err := r.piece(b[at:])
		if err != nil {
			return at, false, err
		}
		at += n
	}
	return at, r.phase == finished && r.skip == 0, nil
}

// piece collects a packet that is not whole in b and handles it as soon as
// enough is there to know it: for a row its first byte, else keep bytes.
func (r *Response) piece(b []byte) (used int, err error) {
	need := r.need()
	n := min(need-int(r.kept), len(b))
	copy(r.part[r.kept:], b[:n])
	r.kept += uint16(n)
	if r.kept == headerSize && r.part[3] != r.sequence {
		// Known before the payload, which may never come.
		return n, fmt.Errorf("%w: packet number %d instead of %d", ErrProtocol, r.part[3], r.sequence)
	}
	if int(r.kept) < need || need != r.need() {
		return n, nil // more follows, or the header has just said how much
	}
	length := r.pieceLength()
	have := int(r.kept) - headerSize
	r.skip = uint32(length - have)
	r.kept = 0
	return n, r.packet(r.part[3], length, r.part[headerSize:headerSize+have])
}

func (r *Response) pieceLength() int {
	return int(r.part[0]) | int(r.part[1])<<8 | int(r.part[2])<<16
}

// need says how many bytes of the packet must be kept before it can be handled.
func (r *Response) need() int {
	if r.kept < headerSize {
		return headerSize
	}
	n := r.pieceLength()
	if r.kept == headerSize || n == 0 {
		return headerSize + min(n, 1)
	}
	if r.stepOver(r.part[headerSize], n) {
		return headerSize + 1
	}
	return min(headerSize+n, keep)
}

// stepOver says that a packet's content is of no interest.
func (r *Response) stepOver(first byte, length int) bool {
	switch {
	case r.continued:
		return true
	case r.phase == expectRows, r.phase == expectColumns, r.phase == expectParameters:
		return r.row == nil && !(first == 0xff || first == 0xfe && length < 9)
	}
	return false
}

// packet handles a packet; p is its payload or, of a long one, its beginning.
func (r *Response) packet(sequence byte, length int, p []byte) error {
	if sequence != r.sequence {
		return fmt.Errorf("%w: packet number %d instead of %d", ErrProtocol, sequence, r.sequence)
	}
	r.sequence++
	continued := r.continued
	r.continued = length == LargestPacket
	if continued {
		return nil
	}
	if len(p) == 0 {
		return fmt.Errorf("%w: empty packet", ErrProtocol)
	}
	if p[0] == 0xff {
		return r.failure(p)
	}
	switch r.phase {
	case expectRows:
		if p[0] == 0xfe && length < 9 {
			return r.endOfRows(p)
		}
		if r.row != nil && r.Rows == r.row.At && !r.row.Found {
			r.row.take(p, length)
		}
		r.Rows++
		return nil
	case expectColumns, expectParameters:
		return r.definition(p, length)
	case expectPrepared:
		return r.prepared(p)
	}
	return r.result(p)
}

func (r *Response) result(p []byte) error {
	switch p[0] {
	case 0x00:
		return r.ok(p)
	case 0xfb:
		// LOCAL INFILE: a server that was not asked to may not have our files.
		return fmt.Errorf("%w: the server asks for a local file", ErrProtocol)
	}
	n, _, ok := LengthEncoded(p)
	if !ok || n == 0 || n > 4096 { // MAX_FIELDS of a table or result is 4096
		return fmt.Errorf("%w: %d columns", ErrProtocol, n)
	}
	r.columns, r.phase = uint32(n), expectColumns
	return nil
}

func (r *Response) ok(p []byte) error {
	affected, n, ok1 := LengthEncoded(p[1:])
	id, m, ok2 := LengthEncoded(p[min(1+n, len(p)):])
	at := 1 + n + m
	if !ok1 || !ok2 || len(p) < at+4 {
		return fmt.Errorf("%w: short OK packet", ErrProtocol)
	}
	r.Affected, r.InsertID = affected, id
	r.end(uint16(p[at]) | uint16(p[at+1])<<8)
	return nil
}

func (r *Response) definition(p []byte, length int) error {
	if r.columns > 0 {
		r.columns--
		if r.row != nil {
			r.row.define(p, length)
		}
		return nil
	}
	if p[0] != 0xfe || length >= 9 {
		return fmt.Errorf("%w: more definitions than announced", ErrProtocol)
	}
	switch {
	case !r.prepare:
		r.phase = expectRows
	case r.phase == expectParameters && r.afterward > 0:
		r.phase, r.columns = expectColumns, r.afterward
	default:
		r.phase = finished
	}
	return nil
}

func (r *Response) prepared(p []byte) error {
	if p[0] != 0 || len(p) < 9 {
		return fmt.Errorf("%w: answer to a prepare", ErrProtocol)
	}
	r.Statement = uint32(p[1]) | uint32(p[2])<<8 | uint32(p[3])<<16 | uint32(p[4])<<24
	columns := uint32(p[5]) | uint32(p[6])<<8
	parameters := uint32(p[7]) | uint32(p[8])<<8
	switch {
	case parameters > 0:
		r.phase, r.columns, r.afterward = expectParameters, parameters, columns
	case columns > 0:
		r.phase, r.columns = expectColumns, columns
	default:
		r.phase = finished
	}
	return nil
}

func (r *Response) endOfRows(p []byte) error {
	if len(p) < 5 {
		return fmt.Errorf("%w: short EOF packet", ErrProtocol)
	}
	r.end(uint16(p[3]) | uint16(p[4])<<8)
	return nil
}

func (r *Response) end(status uint16) {
	r.Status, r.phase = status, finished
	if status&statusMoreResults != 0 {
		r.phase = expectResult
	}
}

// failure reads an ERR packet: code, '#', SQL state, message.
func (r *Response) failure(p []byte) error {
	if len(p) < 3 {
		return fmt.Errorf("%w: short ERR packet", ErrProtocol)
	}
	r.Code, r.phase = uint16(p[1])|uint16(p[2])<<8, finished
	text := p[3:]
	if len(text) >= 6 && text[0] == '#' {
		text = text[6:]
	}
	// Moved to the front: text may lie in part itself, and copy allows that.
	r.kept = uint16(copy(r.part[:], text))
	return nil
}

// LengthEncoded reads an integer of one to nine bytes from the beginning of p; ok is false where p is too short or it
// is NULL.
func LengthEncoded(p []byte) (v uint64, size int, ok bool) {
	if len(p) == 0 {
		return 0, 0, false
	}
	switch p[0] {
	case 0xfb, 0xff:
		return 0, 1, false
	case 0xfc:
		size = 3
	case 0xfd:
		size = 4
	case 0xfe:
		size = 9
	default:
		return uint64(p[0]), 1, true
	}
	if len(p) < size {
		return 0, len(p), false
	}
	for i := size - 1; i > 0; i-- {
		v = v<<8 | uint64(p[i])
	}
	return v, size, true
}
