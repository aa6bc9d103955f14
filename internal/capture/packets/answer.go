package packets

// This file follows the answer to a command: whether it is an error, how many rows it has,
// where it ends, and the server's status flags. The form of the end of a result is taken from
// the packets: an EOF packet has 5 bytes, and the OK packet of CLIENT_DEPRECATE_EOF has more.
// https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html

import (
	"encoding/binary"

	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// mostOfAnswer is how many bytes of an answer's packet are kept: the greeting has the longest
// head that is read.
const mostOfAnswer = 512

// answerKind is the form of an answer.
type answerKind uint8

const (
	result   answerKind = iota // OK, ERR, or sets of rows
	prepares                   // of COM_STMT_PREPARE
	single                     // one packet
	rows                       // of COM_STMT_FETCH and COM_FIELD_LIST: packets up to an EOF
	dialogue                   // of COM_CHANGE_USER: packets of both sides up to OK or ERR
)

type step uint8

const (
	atHead step = iota
	inDefinitions
	afterDefinitions
	inRows
	inFile // LOAD DATA LOCAL INFILE: the client sends the file, then the server OK
)

// answer is how far an answer has come.
type answer struct {
	kind     answerKind
	step     step
	begun    bool
	last     byte // the sequence number of the next packet
	trailing byte // that of a packet which can end the answer before
	// definitions are those not yet received.
	definitions uint64

	failed         bool
	code           uint16
	rows, affected float64
	status         uint16
	hasStatus      bool
	cursor         bool // the rows are fetched by other commands
	statement      uint32
	parameters     int
}

// isEnd is an EOF packet, or the OK packet in its place.
func isEnd(p packet) bool { return p.body[0] == mysql.EOF_HEADER && p.length < largestPacket }

// take takes the next packet of the answer. ok is false if it cannot be part of it.
func (a *answer) take(p packet) (done, ok bool) {
	if p.length == 0 || len(p.body) == 0 {
		return false, false
	}
	if !a.begun && p.sequence != 1 && p.sequence == a.trailing && isEnd(p) && p.length == 5 {
		return false, true // the EOF after the definitions of the COM_STMT_PREPARE before
	}
	expected := a.last
	if !a.begun {
		expected = 1
	}
	if p.sequence != expected && a.kind != dialogue && a.step != inFile {
		return false, false
	}
	a.begun, a.last = true, p.next
	if p.body[0] == mysql.ERR_HEADER {
		return a.failure(p)
	}
	switch a.kind {
	case single:
		return true, p.body[0] != mysql.OK_HEADER || a.okay(p, p.body[1:])
	case dialogue:
		return p.body[0] == mysql.OK_HEADER, p.body[0] != mysql.OK_HEADER || a.okay(p, p.body[1:])
	case rows:
		return isEnd(p), true
	case prepares:
		return a.prepared(p)
	}
	return a.result(p)
}

func (a *answer) failure(p packet) (done, ok bool) {
	if len(p.body) < 3 {
		return false, false
	}
	a.failed, a.code = true, binary.LittleEndian.Uint16(p.body[1:])
	return true, true
}

// okay reads what follows the first byte of an OK packet.
func (a *answer) okay(_ packet, b []byte) bool {
	affected, n, ok1 := wire.LengthEncoded(b)
	_, m, ok2 := wire.LengthEncoded(b[min(n, len(b)):])
	if !ok1 || !ok2 || len(b) < n+m+2 {
		return false
	}
	a.affected += float64(affected)
	a.status, a.hasStatus = binary.LittleEndian.Uint16(b[n+m:]), true
	return true
}

// ended reads the end of rows or definitions.
func (a *answer) ended(p packet) bool {
	if p.length != 5 {
		return a.okay(p, p.body[1:])
	}
	if len(p.body) < 5 {
		return false
	}
	a.status, a.hasStatus = binary.LittleEndian.Uint16(p.body[3:]), true
	return true
}

func (a *answer) prepared(p packet) (done, ok bool) {
	if a.step == atHead {
		if p.body[0] != mysql.OK_HEADER || len(p.body) < 9 {
			return false, false
		}
		a.statement = binary.LittleEndian.Uint32(p.body[1:])
		a.parameters = int(binary.LittleEndian.Uint16(p.body[7:]))
		a.definitions = uint64(binary.LittleEndian.Uint16(p.body[5:])) + uint64(a.parameters)
		a.step = inDefinitions
		return a.definitions == 0, true
	}
	if !isEnd(p) { // the EOF between parameters and columns
		a.definitions--
	}
	return a.definitions == 0, true
}

func (a *answer) result(p packet) (done, ok bool) {
	switch a.step {
	case atHead, inFile:
		return a.headOf(p)
	case inDefinitions:
		if a.definitions--; a.definitions == 0 {
			a.step = afterDefinitions
		}
		return false, true
	case afterDefinitions:
		if isEnd(p) && p.length == 5 {
			a.step = inRows
			ok = a.ended(p)
			a.cursor = a.status&mysql.SERVER_STATUS_CURSOR_EXISTS != 0
			return a.cursor, ok
		}
		a.step = inRows
	}
	if isEnd(p) {
		ok = a.ended(p)
		a.cursor = a.cursor || a.status&mysql.SERVER_STATUS_CURSOR_EXISTS != 0
		return a.further(), ok
	}
	a.rows++
	return false, true
}

// headOf is the first packet of a result.
func (a *answer) headOf(p packet) (done, ok bool) {
	switch p.body[0] {
	case mysql.OK_HEADER:
		ok = a.okay(p, p.body[1:])
		return a.further(), ok
	case mysql.LocalInFile_HEADER:
		a.step = inFile
		return false, true
	}
	n, size, ok := wire.LengthEncoded(p.body)
	if !ok || n == 0 || n > 4096 { // MAX_FIELDS of a table or result is 4096
		return false, false
	}
	a.definitions, a.step = n, inDefinitions
	if len(p.body) == size+1 && p.body[size] == 0 { // MariaDB: the client has the definitions from before
		a.step = afterDefinitions
	}
	return false, true
}

// further says whether the answer has ended; else another result follows.
func (a *answer) further() (done bool) {
	a.step = atHead
	return a.status&mysql.SERVER_MORE_RESULTS_EXISTS == 0
}
