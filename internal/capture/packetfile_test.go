package capture

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/capture/packets"
	"github.com/tarebench/tare/internal/loadgen/wire"
)

// TestBoundValues: the value of a parameter counts as the same value in the text of a statement.
func TestBoundValues(t *testing.T) {
	s := newLogSession()
	for text, v := range map[string]wire.Value{
		"5": {Whole: true, Number: 5}, "-5": {Whole: true, Number: -5}, "'abc'": {Text: []byte("abc")}, "NULL": {Null: true}, "18446744073709551615": {Unsigned: true, Number: -1},
	} {
		literal, err := normalize("SELECT a FROM t WHERE b = "+text, s.seed)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := normalizeBound("SELECT a FROM t WHERE b = ?", []value{s.valueOf(packets.Value{Value: v})}, s.seed)
		if err != nil {
			t.Fatal(err)
		}
		if literal.text != bound.text || literal.values[0].number != bound.values[0].number || literal.values[0].whole != bound.values[0].whole || text != "-5" && literal.values[0].hash != bound.values[0].hash {
			t.Errorf("%s: %+v, as a parameter %+v", text, literal, bound)
		}
	}
	if got := s.valueOf(packets.Value{Unknown: true}); got != (value{}) {
		t.Errorf("a value that was not read is %+v", got)
	}
}

// sent are statements of one connection, one millisecond each.
func sent(s *logSession, connection int64, schema string, all ...packets.Statement) {
	for _, st := range all {
		s.last++
		st.Connection, st.Schema, st.Start = connection, schema, s.last
		if st.End = math.NaN(); st.Answered {
			st.End = s.last + 1
		}
		s.takePacket(st)
	}
}

// TestUnknownSchema: connections that began before the capture count as those of the schema
// that others use; the same statement of both is one.
func TestUnknownSchema(t *testing.T) {
	s := newLogSession()
	read := packets.Statement{Text: "SELECT a FROM t WHERE b = 1", Answered: true, Rows: 2}
	sent(s, 1, "shop", read, read)
	sent(s, 2, "", read, packets.Statement{Text: "SELECT a FROM t WHERE b = 2"}, packets.Statement{Text: "DELETE FROM t WHERE b = 2", Answered: true})
	sent(s, 3, "other", read)
	if n := s.adopt("shop"); n != 3 {
		t.Errorf("%v statements of an unknown schema, want 3", n)
	}
	seen, err := s.seen(Seen{}, "shop")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, st := range seen.Statements {
		got[st.Text] = fmt.Sprint(st.Count, " times, ", st.RowsSent, " rows, ", st.Milliseconds, " ms, ", len(st.Parameters))
	}
	want := map[string]string{ // the rows and the time of what was not answered are those of the others
		"SELECT `a` FROM `t` WHERE `b` = ?": "4 times, 8 rows, 4 ms, 1", "DELETE FROM `t` WHERE `b` = ?": "1 times, 0 rows, 1 ms, 1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if seen.Elsewhere.Count != 1 || len(seen.Transactions) != 5 {
		t.Errorf("%v elsewhere, %d transactions", seen.Elsewhere, len(seen.Transactions))
	}
	if p := seen.Statements[0].Parameters[0]; p.Count != 4 || p.Different != 2 {
		t.Errorf("%+v", p)
	}
}

// TestTransactionsOfPackets: a transaction is one by the server's flag, without BEGIN; one with
// a statement that was not read is in no sample.
func TestTransactionsOfPackets(t *testing.T) {
	s := newLogSession()
	in := func(n int64, text string) packets.Statement {
		return packets.Statement{Text: text, Answered: true, Transaction: n}
	}
	gap := in(3, "DELETE FROM t")
	gap.Gap = true
	sent(s, 1, "shop",
		in(0, "COMMIT"), in(1, "SELECT a FROM t"), in(1, "DELETE FROM t"), in(0, "COMMIT"),
		in(2, "SELECT a FROM t"), in(2, "DELETE FROM t; DELETE FROM u"), in(2, "DELETE FROM t"), in(0, "COMMIT"),
		in(3, "SELECT a FROM t"), gap, in(0, "COMMIT"),
		in(0, "SELECT a FROM t"))
	seen, err := s.seen(Seen{}, "shop")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tr := range seen.Transactions {
		line := fmt.Sprint(tr.Explicit)
		for _, i := range tr.Statements {
			line += " " + strings.Fields(seen.Statements[i].Text)[0]
		}
		got = append(got, line)
	}
	if d := cmp.Diff([]string{"true SELECT DELETE", "false SELECT"}, got); d != "" || seen.Uncounted.Count != 2 {
		t.Errorf("%s, %v not counted", d, seen.Uncounted.Count)
	}
}

// TestNothingRead: what has no statement says why.
func TestNothingRead(t *testing.T) {
	for want, in := range map[string]*packets.Seen{
		"none of 7 packets uses TCP port 3307": {Packets: 7}, "2 of 2 connections use TLS": {Packets: 7, Segments: 7, Connections: 2, Encrypted: 2}, "they have no statement": {Packets: 1, Segments: 1},
	} {
		if err := nothingRead(in, 3307); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := ReadPackets(strings.NewReader("no capture"), 3306, ""); !errors.Is(err, ErrNoPackets) {
		t.Errorf("%v", err)
	}
}
