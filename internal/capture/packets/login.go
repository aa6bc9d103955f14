package packets

// This file reads how a connection begins: the server's greeting and the client's answer to it
// (protocol documentation, Connection Phase). User names and passwords are stepped over.

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"strings"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// mostGreetings bounds what is kept to find connections that were captured twice.
const mostGreetings = 1 << 20

// greeted reads the server's first packet.
func (c *connection) greeted(p packet) {
	c.phase = login
	if p.sequence != 0 || len(p.body) == 0 || p.body[0] != 10 { // an error: too many connections
		return
	}
	version, rest, ok := bytes.Cut(p.body[1:], []byte{0})
	if !ok || len(rest) < 4 {
		return
	}
	if c.r.seen.Version == "" {
		c.r.seen.Version = printable(string(version))
	}
	// The greeting has the number of the connection and 20 random bytes. Packets that are
	// captured on several interfaces can have other addresses on each.
	h := fnv.New64a()
	_, _ = h.Write(p.body) // never fails
	if id := h.Sum64(); c.r.greetings[id] {
		c.elsewhere = true
		c.ignore(&c.r.seen.Twice)
	} else if len(c.r.greetings) < mostGreetings {
		c.r.greetings[id] = true
	}
}

// printable is a text from outside for a comment: one line of a version's length.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), 60)]
}

// The head of the client's answer: capabilities, largest packet, character set, filler.
const headOfLogin = 32

// loggedIn reads the client's answer to the greeting, and steps over what follows it.
func (c *connection) loggedIn(p packet) {
	if p.sequence != 1 || c.attributesKnown {
		return
	}
	if len(p.body) < headOfLogin {
		c.ignore(&c.r.seen.Unreadable) // the protocol of servers before 4.1
		return
	}
	flags := binary.LittleEndian.Uint32(p.body)
	switch {
	case flags&mysql.CLIENT_SSL != 0 && p.length == headOfLogin:
		c.ignore(&c.r.seen.Encrypted)
		return
	case flags&(mysql.CLIENT_COMPRESS|mysql.CLIENT_ZSTD_COMPRESSION_ALGORITHM) != 0:
		c.ignore(&c.r.seen.Compressed)
		return
	case flags&mysql.CLIENT_PROTOCOL_41 == 0, flags&mysql.CLIENT_OPTIONAL_RESULTSET_METADATA != 0:
		c.ignore(&c.r.seen.Unreadable)
		return
	}
	c.attributes, c.attributesKnown = flags&mysql.CLIENT_QUERY_ATTRIBUTES != 0, true
	if flags&mysql.CLIENT_CONNECT_WITH_DB != 0 {
		c.schema = schemaOfLogin(p.body[headOfLogin:], flags)
	}
}

// schemaOfLogin steps over the user and the proof of the password.
func schemaOfLogin(b []byte, flags uint32) string {
	_, b, ok := bytes.Cut(b, []byte{0})
	if !ok {
		return ""
	}
	switch {
	case flags&mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA != 0:
		b, ok = afterText(b)
	case flags&mysql.CLIENT_SECURE_CONNECTION != 0:
		b, ok = afterShortText(b)
	default:
		_, b, ok = bytes.Cut(b, []byte{0})
	}
	if !ok {
		return ""
	}
	return upToZero(b)
}

// schemaOfUser is that of COM_CHANGE_USER.
func schemaOfUser(b []byte) string {
	_, b, ok := bytes.Cut(b, []byte{0})
	if !ok {
		return ""
	}
	if b, ok = afterShortText(b); !ok {
		return ""
	}
	return upToZero(b)
}

func afterShortText(b []byte) ([]byte, bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return nil, false
	}
	return b[1+int(b[0]):], true
}

func upToZero(b []byte) string {
	name, _, ok := bytes.Cut(b, []byte{0})
	if !ok || len(name) > longestName {
		return ""
	}
	return string(name)
}
