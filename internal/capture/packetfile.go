package capture

// This file makes a workload of the statements in captured packets.

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/capture/packets"
)

// ErrNoPackets is the error of a file in another format.
var ErrNoPackets = packets.ErrNoCapture

// ReadPackets reads a packet capture. port is the server's, schema that of the statements; ""
// for the one with most statements. Seen.Schema is "" if no connection says which it uses.
func ReadPackets(r io.Reader, port uint16, schema string) (*Seen, error) {
	s := newLogSession()
	in, err := packets.Read(r, port, func(st packets.Statement) { s.takePacket(st) })
	if err != nil {
		return nil, err
	}
	about := Seen{Source: fmt.Sprintf("captured packets of port %d", port), Version: in.Version, Notes: in.Notes(),
		Within: "in the packets", Uncounted: Total{Count: in.Unread(), Bytes: in.UnreadBytes()}, UncountedReason: "that could not be read, several statements in one command, or beyond the first 10,000 different ones"}
	if in.Timeless > 0 {
		about.NoSeconds = "packets have no time"
	}
	if len(s.of) == 0 {
		return nil, nothingRead(in, port)
	}
	s.all, s.whole = activity{from: in.First, to: in.Last}, true
	if schema == "" {
		schema = s.mostNamed()
	}
	if n := s.adopt(schema); n > 0 && schema != "" {
		about.Notes = append(about.Notes, fmt.Sprintf("%.0f statements are of connections whose schema is not in the file. They are counted as those of the captured schema.", n))
	}
	seen, err := s.seen(about, schema)
	if notes := in.Notes(); err != nil && len(notes) > 0 {
		return nil, fmt.Errorf("%w. %s", err, strings.Join(notes, " "))
	}
	return seen, err
}

// nothingRead says why a capture has no statement.
func nothingRead(in *packets.Seen, port uint16) error {
	if in.Segments == 0 && in.Unknown > 0 {
		return fmt.Errorf("%.0f of %.0f packets have a frame that is not read (link type %d), and none of the others uses TCP port %d", in.Unknown, in.Packets, in.Link, port)
	}
	if in.Segments == 0 {
		return fmt.Errorf("none of %.0f packets uses TCP port %d; name the port of the server", in.Packets, port)
	}
	why := "they have no statement"
	if notes := in.Notes(); len(notes) > 0 {
		why = strings.Join(notes, " ")
	}
	return errors.New(why)
}

// takePacket takes a statement in as an entry of a log.
func (s *logSession) takePacket(st packets.Statement) {
	e := entry{thread: st.Connection, statement: st.Text, start: st.Start, end: unknown(), took: unknown(), length: st.Length, schema: st.Schema, failed: st.Failed,
		transaction: st.Transaction, gap: st.Gap}
	if st.Answered {
		e.end, e.took = st.End, st.End-st.Start
		e.sent, e.affected, e.rowsKnown = st.Rows, st.Affected, true
	}
	for _, v := range st.Values {
		e.bound = append(e.bound, s.valueOf(v))
	}
	s.take(e)
	delete(s.schemas, e.thread) // each statement says its own
}

// valueOf keeps of a parameter what scanSQL keeps of the same value as a literal.
func (s *logSession) valueOf(v packets.Value) value {
	switch {
	case v.Unknown:
		return value{}
	case v.Null:
		return value{hash: maphash.String(s.seed, "NULL")}
	}
	text := string(v.AppendText(nil))
	var out value
	out.number, out.whole = numberIn(text)
	if !v.Whole && !v.Unsigned && !v.Floating {
		text = "'" + text + "'"
	}
	out.hash = maphash.String(s.seed, text)
	return out
}

// mostNamed is the schema with most statements among those that are known.
func (s *logSession) mostNamed() string {
	named := map[string]float64{}
	for schema, n := range s.counts {
		if schema != "" {
			named[schema] = n
		}
	}
	return longest(named)
}

// adopt counts statements whose schema is not known as those of a schema, and returns how many
// there are.
func (s *logSession) adopt(schema string) (n float64) {
	if n = s.counts[""]; n == 0 || schema == "" {
		return n
	}
	for k, l := range s.of {
		if k.schema != "" {
			continue
		}
		delete(s.of, k)
		k.schema = schema
		if known := s.of[k]; known != nil {
			known.join(l)
		} else {
			s.of[k] = l
		}
	}
	s.counts[schema] += n
	delete(s.counts, "")
	for i := range s.events {
		if s.events[i].schema == "" {
			s.events[i].schema = schema
		}
	}
	return n
}

// join adds what is known of the same statement.
func (l *logged) join(other *logged) {
	l.Total.add(other.Total)
	l.RowsSent += other.RowsSent
	l.RowsExamined += other.RowsExamined
	l.RowsAffected += other.RowsAffected
	l.Lists += other.Lists
	l.newRows += other.newRows
	l.timed += other.timed
	l.counted += other.counted
	for i, p := range other.parameters {
		if i == len(l.parameters) {
			l.parameters = append(l.parameters, p)
			continue
		}
		l.parameters[i].join(p)
	}
}

// join adds the counts of the same parameter.
func (s *spread) join(other *spread) {
	s.n += other.n
	if other.whole > 0 {
		s.extend(other.low, other.high)
	}
	s.whole += other.whole
	s.sum += other.sum
	s.lost += other.lost
	for hash, c := range other.counts {
		if _, known := s.counts[hash]; !known && len(s.counts) >= mostValues {
			s.lost += c
			continue
		}
		s.counts[hash] += c
	}
}
