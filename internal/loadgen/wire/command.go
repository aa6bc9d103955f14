package wire

import "encoding/binary"

// Commands of the classic protocol (include/my_command.h).
const (
	comQuit        = 0x01
	comQuery       = 0x03
	comPing        = 0x0e
	comStmtPrepare = 0x16
	comStmtExecute = 0x17
)

// Parameter types of COM_STMT_EXECUTE (include/field_types.h): those that
// sysbench binds for its INT and CHAR parameters, and those of workload files.
const (
	TypeLong     = 3
	TypeLongLong = 8
	TypeDecimal  = 246
	TypeString   = 254
)

const headerSize = 4

// LargestPacket is the payload, in bytes, from which a packet is continued by the next (MySQL Internals,
// Protocol::Packet).
const LargestPacket = 1<<24 - 1

// begin starts a packet with the given command and returns the buffer. Finish
// must be called with the length that buf had before.
func begin(buf []byte, command byte) []byte {
	return append(buf, 0, 0, 0, 0, command)
}

// Finish writes the length of the packet that starts at start. A command begins
// a new sequence, so its number is 0. The payload must be below 16 MiB.
func Finish(buf []byte, start int) []byte {
	n := len(buf) - start - headerSize
	buf[start], buf[start+1], buf[start+2] = byte(n), byte(n>>8), byte(n>>16)
	return buf
}

// BeginQuery starts a COM_QUERY; the caller appends the statement and finishes.
func BeginQuery(buf []byte) []byte { return begin(buf, comQuery) }

// AppendQuery appends a whole COM_QUERY.
func AppendQuery(buf []byte, sql string) []byte {
	start := len(buf)
	return Finish(append(begin(buf, comQuery), sql...), start)
}

// AppendPrepare appends a whole COM_STMT_PREPARE.
func AppendPrepare(buf []byte, sql string) []byte {
	start := len(buf)
	return Finish(append(begin(buf, comStmtPrepare), sql...), start)
}

// AppendPing appends a whole COM_PING.
func AppendPing(buf []byte) []byte { return append(buf, 1, 0, 0, 0, comPing) }

// AppendQuit appends a whole COM_QUIT, which has no answer.
func AppendQuit(buf []byte) []byte { return append(buf, 1, 0, 0, 0, comQuit) }

// BeginExecute starts a COM_STMT_EXECUTE for a statement with the given types of
// parameters, none of them NULL (see SetNull). The types are sent only when asked: a server
// remembers those of the execution before. The caller appends the values and
// finishes.
func BeginExecute(buf []byte, statement uint32, types []byte, sendTypes bool) []byte {
	buf = append(buf, 0, 0, 0, 0, comStmtExecute,
		byte(statement), byte(statement>>8), byte(statement>>16), byte(statement>>24),
		0,          // no cursor
		1, 0, 0, 0) // iteration count, always 1
	if len(types) == 0 {
		return buf
	}
	for i := 0; i < len(types); i += 8 {
		buf = append(buf, 0) // NULL bitmap
	}
	if !sendTypes {
		return append(buf, 0)
	}
	buf = append(buf, 1)
	for _, t := range types {
		buf = append(buf, t, 0)
	}
	return buf
}

// AppendLong appends a TypeLong value.
func AppendLong(buf []byte, v int32) []byte {
	return binary.LittleEndian.AppendUint32(buf, uint32(v))
}

// AppendLongLong appends a TypeLongLong value.
func AppendLongLong(buf []byte, v int64) []byte {
	return binary.LittleEndian.AppendUint64(buf, uint64(v))
}

// executeHead is what BeginExecute appends before the NULL bitmap.
const executeHead = headerSize + 10

// SetNull makes parameter i, from 0, of the execution that starts at start NULL. It has no
// value then.
func SetNull(buf []byte, start, i int) { buf[start+executeHead+i/8] |= 1 << (i % 8) }

// AppendLength appends a length-encoded integer, as before a TypeString value.
func AppendLength(buf []byte, n int) []byte {
	switch {
	case n < 251:
		return append(buf, byte(n))
	case n < 1<<16:
		return append(buf, 0xfc, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(buf, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	default:
		return binary.LittleEndian.AppendUint64(append(buf, 0xfe), uint64(n))
	}
}
