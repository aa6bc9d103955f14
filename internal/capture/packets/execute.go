package packets

// This file reads the values of a prepared statement's parameters (protocol documentation,
// COM_STMT_EXECUTE).

import (
	"encoding/binary"

	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// prepared is a statement that the server has prepared for the connection.
type prepared struct {
	text       string
	parameters int
	types      []parameterType // of the last execution that sent them
	parts      map[int]bool    // parameters whose value was sent before the execution
}

type parameterType struct {
	kind     byte
	unsigned bool
}

// prepare keeps the statement that was answered last.
func (c *connection) prepare(text string) {
	a := &c.answer
	if old := c.prepared[a.statement]; old != nil {
		c.r.hold(-len(old.text))
		delete(c.prepared, a.statement)
	}
	if len(c.prepared) >= mostPrepared || !c.r.hold(len(text)) {
		return // its executions are counted as not prepared
	}
	c.prepared[a.statement] = &prepared{text: text, parameters: a.parameters}
}

func (c *connection) dropPrepared() {
	for _, p := range c.prepared {
		c.r.hold(-len(p.text))
	}
	clear(c.prepared)
}

// sentInParts notes that a parameter has its value already.
func (p *prepared) sentInParts(parameter int) {
	if parameter >= p.parameters {
		return
	}
	if p.parts == nil {
		p.parts = map[int]bool{}
	}
	p.parts[parameter] = true
}

// bind reads the values of an execution. They are right if they have every byte of it: with
// attributes and without, where it is not known whether the client sends any.
func (p *prepared) bind(body []byte, attributes, known bool) ([]Value, bool) {
	values, types, ok := p.read(body, attributes)
	if !ok && !known {
		values, types, ok = p.read(body, !attributes)
	}
	p.parts = nil // the server forgets them after an execution
	if !ok {
		p.types = nil
		return nil, false
	}
	p.types = types
	return values, true
}

// countAvailable is the flag of an execution that says how many parameters it has, query
// attributes with them (PARAMETER_COUNT_AVAILABLE, include/mysql.h).
const countAvailable = 8

func (p *prepared) read(body []byte, attributes bool) (values []Value, types []parameterType, ok bool) {
	b := body[10:] // command, statement, flags, iterations
	count := p.parameters
	if attributes && body[5]&countAvailable != 0 {
		n, size, ok := wire.LengthEncoded(b)
		if !ok || n < uint64(count) || n > 1<<16 {
			return nil, nil, false
		}
		count, b = int(n), b[size:]
	}
	if count == 0 {
		return []Value{}, nil, len(b) == 0 || attributes
	}
	nulls := (count + 7) / 8
	if len(b) < nulls+1 {
		return nil, nil, false
	}
	bitmap, bound, b := b[:nulls], b[nulls], b[nulls+1:]
	types = p.types
	if bound != 0 {
		if types, b, ok = readTypes(b, count, attributes); !ok {
			return nil, nil, false
		}
	}
	if len(types) != count {
		return nil, nil, false
	}
	for i, t := range types {
		v := Value{Unknown: p.parts[i]}
		switch {
		case v.Unknown:
		case bitmap[i/8]>>(i%8)&1 == 1 || t.kind == mysql.MYSQL_TYPE_NULL:
			v.Null = true
		default:
			var size int
			if v.Value, size, ok = wire.Binary(t.kind, t.unsigned, b); !ok {
				return nil, nil, false
			}
			v.Type, b = t.kind, b[size:]
		}
		values = append(values, v)
	}
	return values[:p.parameters], types, len(b) == 0
}

// readTypes reads types and, with attributes, the names of parameters.
func readTypes(b []byte, count int, attributes bool) (types []parameterType, rest []byte, ok bool) {
	for range count {
		if len(b) < 2 {
			return nil, nil, false
		}
		t := binary.LittleEndian.Uint16(b)
		types, b = append(types, parameterType{kind: byte(t), unsigned: t&0x8000 != 0}), b[2:]
		if attributes {
			if b, ok = afterText(b); !ok {
				return nil, nil, false
			}
		}
	}
	return types, b, true
}

// afterText is what follows a text with its length before it.
func afterText(b []byte) ([]byte, bool) {
	n, size, ok := wire.LengthEncoded(b)
	if !ok || n > uint64(len(b)-size) {
		return nil, false
	}
	return b[size+int(n):], true
}

// withoutAttributes is the text of a COM_QUERY. The attributes before it begin with their
// number: no statement begins with such a byte.
func (c *connection) withoutAttributes(b []byte) (text []byte, ok bool) {
	const firstOfText = '\t'
	if len(b) > 0 && !c.attributesKnown && b[0] < firstOfText {
		c.attributes, c.attributesKnown = true, true
	}
	if !c.attributes {
		return b, true
	}
	n, size, ok := wire.LengthEncoded(b)
	if !ok || n > 1<<16 {
		return nil, false
	}
	b = b[size:]
	if _, size, ok = wire.LengthEncoded(b); !ok { // the number of sets of values: 1
		return nil, false
	}
	b = b[size:]
	if n == 0 {
		return b, true
	}
	count := int(n)
	nulls := (count + 7) / 8
	if len(b) < nulls+1 || b[nulls] == 0 {
		return nil, false
	}
	bitmap := b[:nulls]
	types, b, ok := readTypes(b[nulls+1:], count, true)
	for i, t := range types {
		if bitmap[i/8]>>(i%8)&1 == 1 || t.kind == mysql.MYSQL_TYPE_NULL {
			continue
		}
		_, size, valid := wire.Binary(t.kind, t.unsigned, b)
		if !valid {
			return nil, false
		}
		b = b[size:]
	}
	return b, ok
}
