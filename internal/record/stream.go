package record

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
)

// MaxLine is the longest line a stream may hold. A longer one is an error, not
// an allocation: a record can come from anywhere.
const MaxLine = 16 << 20

// Writer appends lines to a stream and closes it with a checksum.
type Writer struct {
	w     io.Writer
	sum   hash.Hash
	lines int
}

// NewWriter starts a stream on w with its header.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Version = Version
	wr := &Writer{w: w, sum: sha256.New()}
	return wr, wr.Write(Line{Header: &h})
}

// Write appends one line.
func (w *Writer) Write(l Line) error {
	b, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode record line: %w", err)
	}
	b = append(b, '\n')
	if _, err := w.w.Write(b); err != nil {
		return fmt.Errorf("write record line: %w", err)
	}
	w.sum.Write(b)
	w.lines++
	return nil
}

// End closes the stream. The caller syncs the file.
func (w *Writer) End(e End) error {
	e.Lines = w.lines
	e.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return w.Write(Line{End: &e})
}

// ErrVersion is a stream of a later version of tare: it is not damaged, it is
// not ours to judge or to overwrite.
var ErrVersion = errors.New("unknown version")

// Read reads a stream. One that was cut off, damaged or changed is returned with
// what could be read and Incomplete set: that is a normal thing after a crash,
// and the trial is done again. An error is a later version, or a failing reader.
func Read(r io.Reader) (*Trial, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	sum := sha256.New()
	t := &Trial{}
	var raw []byte
	var names []string // of the samples
	for n := 1; ; n++ {
		var err error
		raw, err = readLine(in, raw[:0])
		switch {
		case errors.Is(err, io.EOF):
			return t, t.finish()
		case errors.Is(err, errDamaged):
			t.Incomplete = StreamLine.Say(fmt.Sprint(n), err.Error())
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("read record line %d: %w", n, err)
		}
		var l Line
		if s, ok := plainSample(raw, names); ok {
			l.Sample, names = &s, s.Values.names
		} else {
			err = strictUnmarshal(raw, &l)
		}
		if err == nil {
			err = t.add(l, n, sum)
		}
		if errors.Is(err, ErrVersion) {
			return nil, fmt.Errorf("read record: %w", err)
		}
		if err != nil {
			t.Incomplete = StreamLine.Say(fmt.Sprint(n), err.Error())
			return t, nil
		}
		sum.Write(raw)
	}
}

func (t *Trial) finish() error {
	switch {
	case t.Incomplete != "": // add has said why
	case t.Header.Version == 0:
		t.Incomplete = string(StreamEmpty)
	case t.End == nil:
		t.Incomplete = string(StreamNoEnd)
	}
	return nil
}

var errDamaged = errors.New("damaged")

// readLine appends one line with its newline. io.ReadBytes would allocate
// whatever a hostile file asks for, so the length is bounded here.
func readLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		chunk, err := in.ReadSlice('\n')
		line = append(line, chunk...)
		if len(line) > MaxLine {
			return nil, LineTooLong.Error(errDamaged, fmt.Sprint(MaxLine))
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, LineCut.Error(errDamaged)
		case err != nil:
			return nil, err
		}
		return line, nil
	}
}

// add puts a line into its place and refuses what cannot be: a line before the
// header, a second header, anything after the end, a checksum that differs.
func (t *Trial) add(l Line, n int, sum hash.Hash) error {
	if (n == 1) != (l.Header != nil) {
		return errors.New(string(LineHeader))
	}
	if t.End != nil {
		return errors.New(string(LineAfterEnd))
	}
	switch {
	case l.Header != nil:
		if l.Header.Version < 1 || l.Header.Version > Version {
			return fmt.Errorf("%w: stream version %d, this tare reads up to %d", ErrVersion, l.Header.Version, Version)
		}
		t.Header = *l.Header
	case l.Metric != nil:
		t.Metrics = append(t.Metrics, *l.Metric)
	case l.Event != nil:
		t.Events = append(t.Events, *l.Event)
	case l.Fact != nil:
		t.Facts = append(t.Facts, *l.Fact)
	case l.Interval != nil:
		t.Intervals = append(t.Intervals, *l.Interval)
	case l.Sample != nil:
		t.Samples = append(t.Samples, *l.Sample)
	case l.Step != nil:
		t.Steps = append(t.Steps, *l.Step)
	case l.Window != nil:
		t.Window = l.Window
	case l.AtRate != nil:
		t.AtRate = l.AtRate
	case l.End != nil:
		t.End = l.End
		if l.End.SHA256 != hex.EncodeToString(sum.Sum(nil)) || l.End.Lines != n-1 {
			t.Incomplete = string(StreamChanged)
		}
	default:
		return errors.New(string(LineUnknown))
	}
	return nil
}

// strictUnmarshal refuses unknown fields: a misspelt field would otherwise be
// lost without a word.
func strictUnmarshal(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value on a line")
	}
	return nil
}
