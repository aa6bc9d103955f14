// The stream of one trial, read as it grows.

package serve

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/tarebench/tare/internal/record"
)

// shownSeconds of the current trial are kept: a soak has a day of them.
const shownSeconds = 120

// tailStep is how much is read at once; what is longer without a line's end is not
// a stream.
const tailStep = 4 << 20

type tail struct {
	path   string
	offset int64
	phase  string
	last   *record.Interval
	tps    []float64
	end    *record.End
}

// read takes in the lines that were added. A file that was restarted is read from
// its start; one that is gone or damaged leaves what was known of it.
func (t *tail) read(path string) {
	f, err := record.OpenFile(path)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	if path != t.path || info.Size() < t.offset {
		*t = tail{path: path}
	}
	for {
		chunk := make([]byte, min(tailStep, max(0, info.Size()-t.offset)))
		n, err := f.ReadAt(chunk, t.offset)
		whole := bytes.LastIndexByte(chunk[:n], '\n') + 1
		for line := range bytes.Lines(chunk[:whole]) {
			t.add(line)
		}
		t.offset += int64(whole)
		if whole == 0 || err != nil && err != io.EOF {
			return
		}
	}
}

func (t *tail) add(line []byte) {
	var l record.Line
	if json.Unmarshal(line, &l) != nil {
		return // the reader of the whole record says what is wrong with it
	}
	switch {
	case l.Event != nil:
		t.phase = l.Event.Name
	case l.Interval != nil:
		t.last = l.Interval
		t.tps = append(t.tps, l.Interval.Transactions)
		t.tps = t.tps[max(0, len(t.tps)-shownSeconds):]
	case l.End != nil:
		t.end = l.End
	}
}

// fill puts what is known of the trial into now.
func (t *tail) fill(now *liveTrial) {
	now.Phase, now.TPS = t.phase, append([]float64{}, t.tps...)
	if t.last == nil {
		return
	}
	now.Phase = "measure"
	if t.last.Warmup {
		now.Phase = "warm up"
	}
	now.LatencyMS, now.Percentile, now.Errors = t.last.Latency, t.last.Percentile, t.last.Errors
}
