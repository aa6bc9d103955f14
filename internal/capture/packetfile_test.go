package capture

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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
		s.all.to++
		st.Connection, st.Schema, st.Start = connection, schema, s.all.to
		if st.End = math.NaN(); st.Answered {
			st.End = s.all.to + 1
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

// TestPacketsCapturedInPart: a packet capture of 128 bytes a packet (tcpdump -s 128) has the beginnings of the
// statements. Those whose end is missing are counted and not covered, and the file says how many they are.
func TestPacketsCapturedInPart(t *testing.T) {
	packed, err := os.Open("../../cmd/tare/testdata/shop.pcap.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	describe := func(pcap []byte) (*Described, *Seen) {
		seen, err := ReadPackets(bytes.NewReader(pcap), 42437, "")
		if err != nil {
			t.Fatal(err)
		}
		d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		return d, seen
	}
	all, _ := describe(whole)
	part, seen := describe(shortened(whole, 128))
	if all.CoveredCount < 0.99 || all.CoveredBytes < 0.99 {
		t.Errorf("of whole packets %.3f of the statements are covered and %.3f of their bytes", all.CoveredCount, all.CoveredBytes)
	}
	lost := seen.Uncounted.Count
	if !(lost > 0) || part.CoveredCount > 0.9 || part.CoveredBytes > part.CoveredCount || !math.IsNaN(part.CoveredTime) && part.CoveredTime > 0.99 {
		t.Errorf("of packets of 128 bytes %.3f, %.3f by time and %.3f by bytes are covered; %.0f statements have no end", part.CoveredCount, part.CoveredTime, part.CoveredBytes, lost)
	}
	if text := string(part.File.Marshal()); !strings.Contains(text, fmt.Sprintf("%.0f statements have no end in the file", lost)) || !strings.Contains(text, "tcpdump -s 0") {
		t.Errorf("the file does not say that %.0f statements are missing:\n%s", lost, text)
	}
}

// shortened are packets of a little-endian pcap of which at most so many bytes were kept (pcap-savefile(5)).
func shortened(pcap []byte, most int) []byte {
	const file, record = 24, 16
	out := bytes.Clone(pcap[:file])
	for at := file; at < len(pcap); {
		kept := int(binary.LittleEndian.Uint32(pcap[at+8:]))
		head := bytes.Clone(pcap[at : at+record])
		binary.LittleEndian.PutUint32(head[8:], uint32(min(kept, most)))
		out = append(append(out, head...), pcap[at+record:at+record+min(kept, most)]...)
		at += record + kept
	}
	return out
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

// TestPacketsWithoutTimes: the statements of packets without a time are counted, and have no latency and no rate.
func TestPacketsWithoutTimes(t *testing.T) {
	s := newLogSession()
	for range 3 {
		s.takePacket(packets.Statement{Connection: 1, Schema: "shop", Text: "SELECT a FROM t WHERE b = 1", Answered: true, Rows: 2, Start: math.NaN(), End: math.NaN()})
	}
	s.all, s.whole = activity{from: math.NaN(), to: math.NaN()}, true
	seen, err := s.seen(Seen{NoSeconds: "packets have no time"}, "shop")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), seen, Dictionary{}, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.File.Marshal())
	if d.Load() != "rates are not known" || !strings.Contains(text, "select_t: 100.0 % of all, latency not known") || !strings.Contains(text, "because packets have no time") || strings.Contains(text, "NaN") || seen.Statements[0].Count != 3 {
		t.Errorf("%s\n%s", d.Load(), text)
	}
}
