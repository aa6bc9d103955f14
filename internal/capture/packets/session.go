package packets

// This file follows the commands of a session: what is executed, what is prepared, and in
// which schema and transaction.

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// command is a command that waits for its answer.
type command struct {
	what  byte
	kind  answerKind
	start float64
	text  string // the statement, or the schema
	// prepared says that values are those of the statement's parameters.
	prepared bool
	values   []Value
	unread   bool // a statement that cannot be read, and has been counted
	held     int
	length   int // of its packet
}

// session is the state that commands change.
type session struct {
	schema string
	// attributes says whether CLIENT_QUERY_ATTRIBUTES was negotiated, if that is known.
	attributes, attributesKnown bool
	prepared                    map[uint32]*prepared
	inTransaction               bool
	transaction                 int64
	gap                         bool // see Statement.Gap
}

// isCommand says that a byte begins a command (include/my_command.h).
func isCommand(b byte) bool {
	return b >= mysql.COM_QUIT && b <= mysql.COM_RESET_CONNECTION || b == bulkExecute
}

// bulkExecute is MariaDB's COM_STMT_BULK_EXECUTE.
const bulkExecute = 0xfa

// clientPacket takes a packet of the client, whose last byte was sent at a time.
func (c *connection) clientPacket(p packet, at float64, ack uint32) {
	if (c.phase == greeting || c.phase == login) && p.sequence != 0 {
		c.loggedIn(p)
		return
	}
	c.phase = commands
	switch {
	case p.sequence != 0: // a file, or an answer to the server's question about a password
		c.r.seen.ReadBytes += float64(headerSize + p.length)
		if len(c.waiting) == 0 || c.answer.kind != dialogue && c.answer.step != inFile {
			c.r.seen.Strange++
			c.lose()
		}
		return
	case p.length == 0:
		c.r.seen.Strange++
		c.lose()
		return
	case len(p.body) == 0: // no room to keep it
		c.r.seen.TooLong++
		c.lose()
		return
	case !isCommand(p.body[0]):
		c.r.seen.Strange++
		c.lose()
		return
	}
	c.read = true
	c.command(p, command{what: p.body[0], start: at, length: headerSize + p.length}, ack)
}

func (c *connection) command(p packet, cmd command, ack uint32) {
	defer func() {
		if p.whole() && !cmd.unread {
			c.r.seen.ReadBytes += float64(cmd.length)
		}
	}()
	switch cmd.what {
	case mysql.COM_QUIT, mysql.COM_STMT_CLOSE, mysql.COM_STMT_SEND_LONG_DATA: // without an answer
		c.withoutAnswer(p)
		return
	case mysql.COM_BINLOG_DUMP, mysql.COM_BINLOG_DUMP_GTID, mysql.COM_REGISTER_SLAVE, mysql.COM_TABLE_DUMP:
		c.ignore(&c.r.seen.Replicas)
		return
	case mysql.COM_QUERY, mysql.COM_STMT_PREPARE:
		cmd.unread = !c.query(p, &cmd)
	case mysql.COM_STMT_EXECUTE:
		cmd.unread = !c.execution(p, &cmd)
	case bulkExecute:
		c.r.seen.Bulk++
		cmd.unread = true
	case mysql.COM_INIT_DB, mysql.COM_CHANGE_USER:
		c.chosen(p, &cmd)
	case mysql.COM_STMT_FETCH, mysql.COM_FIELD_LIST:
		cmd.kind = rows
	case mysql.COM_PROCESS_INFO:
	default:
		cmd.kind = single
	}
	c.expect(cmd, ack)
}

// withoutAnswer is a command that the server does not answer.
func (c *connection) withoutAnswer(p packet) {
	if len(p.body) < 5 {
		return
	}
	id := binary.LittleEndian.Uint32(p.body[1:])
	found := c.prepared[id]
	switch {
	case found == nil:
	case p.body[0] == mysql.COM_STMT_CLOSE:
		c.r.hold(-len(found.text))
		delete(c.prepared, id)
	case len(p.body) >= 7:
		found.sentInParts(int(binary.LittleEndian.Uint16(p.body[5:])))
	}
}

// query takes the text of a statement.
func (c *connection) query(p packet, cmd *command) (ok bool) {
	text := p.body[1:]
	if cmd.what == mysql.COM_STMT_PREPARE {
		cmd.kind = prepares
	} else if text, ok = c.withoutAttributes(text); !ok {
		c.r.seen.Strange++
		return false
	}
	if !p.whole() || !c.r.hold(len(text)) {
		c.r.seen.TooLong++
		return false
	}
	cmd.text, cmd.held = string(text), len(text)
	return true
}

// execution takes the number of a prepared statement and the values of its parameters.
func (c *connection) execution(p packet, cmd *command) (ok bool) {
	if !p.whole() {
		c.r.seen.TooLong++
		return false
	}
	if len(p.body) < 10 {
		c.r.seen.Strange++
		return false
	}
	found := c.prepared[binary.LittleEndian.Uint32(p.body[1:])]
	if found == nil {
		c.r.seen.NotPrepared++
		return false
	}
	if !c.r.hold(len(p.body)) {
		c.r.seen.TooLong++
		return false
	}
	cmd.held, cmd.text, cmd.prepared = len(p.body), found.text, true
	cmd.values, ok = found.bind(append([]byte(nil), p.body...), c.attributes, c.attributesKnown)
	if !ok {
		c.r.seen.NoValues++
	}
	return true
}

// chosen is a command that names a schema.
func (c *connection) chosen(p packet, cmd *command) {
	if cmd.what == mysql.COM_INIT_DB {
		cmd.kind, cmd.text = single, string(p.body[1:min(len(p.body), 1+longestName)])
		return
	}
	cmd.kind = dialogue
	cmd.text = schemaOfUser(p.body[1:])
}

// longestName is that of a schema: 64 characters of four bytes.
const longestName = 256

// finish is called when the answer to a command has ended, or cannot be found.
func (c *connection) finish(cmd command, at float64, answered bool) {
	c.r.hold(-cmd.held)
	failed := answered && c.answer.failed
	if answered {
		c.follow()
	}
	switch cmd.what {
	case mysql.COM_QUERY, mysql.COM_STMT_EXECUTE, bulkExecute:
		if cmd.unread {
			c.gap = true
			return
		}
		c.emit(cmd, at, answered)
		if schema, ok := used(cmd.text); ok && !failed {
			c.schema = schema
		}
	case mysql.COM_STMT_PREPARE:
		if answered && !failed && !cmd.unread {
			c.prepare(cmd.text)
		}
	case mysql.COM_INIT_DB:
		if !failed {
			c.schema = cmd.text
		}
	case mysql.COM_CHANGE_USER, mysql.COM_RESET_CONNECTION:
		c.dropPrepared()
		c.inTransaction = false
		if cmd.what == mysql.COM_CHANGE_USER && !failed {
			c.schema = cmd.text
		}
	}
}

// deadlock is the error after which the server has rolled the transaction back.
const deadlock = 1213

// follow takes the status flags of an answer over.
func (c *connection) follow() {
	a := &c.answer
	switch {
	case a.failed && a.code == deadlock:
		c.inTransaction = false
	case !a.failed && a.hasStatus:
		in := a.status&mysql.SERVER_STATUS_IN_TRANS != 0
		if in && !c.inTransaction {
			c.transaction++
		}
		c.inTransaction = in
	}
}

// emit gives a statement away.
func (c *connection) emit(cmd command, at float64, answered bool) {
	s := Statement{Connection: c.number, Start: cmd.start, End: math.NaN(), Schema: c.schema, Text: cmd.text, Prepared: cmd.prepared, Length: cmd.length, Values: cmd.values, Gap: c.gap}
	c.gap = false
	if answered {
		s.Answered, s.End, s.Failed = true, max(at, cmd.start), c.answer.failed
		s.Rows, s.Affected = c.answer.rows, c.answer.affected
	} else {
		c.r.seen.Unanswered++
		s.Gap = s.Gap || c.server.started // in which transaction it was is not known
	}
	if c.inTransaction {
		s.Transaction = c.transaction
	}
	c.r.seen.Statements++
	c.r.each(s)
}

// used is the schema that a USE statement chooses.
func used(text string) (schema string, ok bool) {
	if len(text) > longestName+16 {
		return "", false
	}
	fields := strings.Fields(strings.TrimRight(strings.TrimSpace(text), ";"))
	if len(fields) != 2 || !strings.EqualFold(fields[0], "USE") {
		return "", false
	}
	return strings.Trim(fields[1], "`"), true
}
