package capture_test

// This file compares a replay with what it was captured from: first the work, then the figures. What one side does not
// have is not known, and no ratio is made from it.

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/capture"
)

// figure is one that is compared.
type figure struct {
	name string
	at   func(*windowFigures) *float64
	// work says that a replay which differs in it did other work.
	work bool
}

func (f figure) of(w windowFigures) float64 { return *f.at(&w) }

func figuresOf() []figure {
	return []figure{
		{"reads a transaction", func(f *windowFigures) *float64 { return &f.reads }, true},
		{"writes a transaction", func(f *windowFigures) *float64 { return &f.writes }, true},
		{"other statements a transaction", func(f *windowFigures) *float64 { return &f.other }, true},
		{"rows read a transaction", func(f *windowFigures) *float64 { return &f.read }, true},
		{"rows written a transaction", func(f *windowFigures) *float64 { return &f.written }, true},
		{"transactions/s", func(f *windowFigures) *float64 { return &f.rate }, false},
		{"mean ms", func(f *windowFigures) *float64 { return &f.mean }, false},
		{"p95 ms", func(f *windowFigures) *float64 { return &f.p95 }, false},
		{"in the server, ms", func(f *windowFigures) *float64 { return &f.server }, false},
	}
}

// otherWorkShare and leastWork are those of imported logs (internal/compare/work.go).
const (
	otherWorkShare = 0.1
	leastWork      = 0.1
)

// otherWork says that a replay did other work than a load, in the words of `tare import` and `tare compare`; "" where
// it did not. A figure that one side does not have says nothing.
func otherWork(of, than string, arm, base windowFigures) string {
	var differ []string
	for _, f := range figuresOf() {
		if is, was := f.of(arm), f.of(base); f.work && math.Abs(is-was) > max(leastWork, otherWorkShare*max(is, was)) {
			differ = append(differ, fmt.Sprintf("%.1f %s and not %.1f", is, f.name, was))
		}
	}
	if differ == nil {
		return ""
	}
	return fmt.Sprintf("INVALID: %s did other work than %s: it has %s", of, than, strings.Join(differ, ", "))
}

// ratioOf is a figure's ratio with its interval, or that it is not known on one side.
func ratioOf(rounds [][3]windowFigures, f figure, over, under int) string {
	for _, r := range rounds {
		if !(f.of(r[over]) > 0) || !(f.of(r[under]) > 0) {
			return "not known"
		}
	}
	return ratio(rounds, f.of, over, under).String()
}

// ofCapture are the figures of a capture: those of all its kinds, which the replay's are the same of. What its source
// does not have is NaN. A p95 of several kinds is none of all.
func ofCapture(d *capture.Described) windowFigures {
	f := windowFigures{rate: d.Transactions, p95: math.NaN(), server: math.NaN(), read: math.NaN(), written: math.NaN(), other: math.NaN()}
	for _, k := range d.Kinds {
		f.mean += k.Share * k.Mean
	}
	if len(d.Kinds) == 1 {
		f.p95 = d.Kinds[0].P95
	}
	weights := 0.0
	for _, t := range d.File.Transactions {
		weight := float64(t.Weight.Value) / math.Pow10(t.Weight.Decimals)
		weights += weight
		for _, s := range t.Statements {
			if strings.HasPrefix(s.SQL, "SELECT") {
				f.reads += weight
			} else {
				f.writes += weight
			}
		}
	}
	f.reads, f.writes = f.reads/weights, f.writes/weights
	return f
}

// againstCapture is each figure of the capture beside that of a replay, with their ratio where both are known.
func againstCapture(d *capture.Described, replay windowFigures) (lines []string) {
	was := ofCapture(d)
	if why := otherWork("the replay", "the capture", replay, was); why != "" {
		return []string{why}
	}
	for _, f := range figuresOf() {
		is, in := f.of(replay), f.of(was)
		line := fmt.Sprintf("%s: captured %.2f, replay %.2f, ratio %.3f", f.name, in, is, is/in)
		if math.IsNaN(in) {
			line = fmt.Sprintf("%s: captured not known, replay %.2f", f.name, is)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestOtherWork: a replay that sends other statements, or finds other rows, is invalid with both figures; one within a
// tenth is not.
func TestOtherWork(t *testing.T) {
	same := windowFigures{reads: 14, writes: 4, other: 2, read: 412, written: 4}
	for name, c := range map[string]struct {
		change func(*windowFigures)
		says   string
	}{
		"the same":           {func(*windowFigures) {}, ""},
		"within a tenth":     {func(f *windowFigures) { f.reads, f.read = 14.9, 400 }, ""},
		"reads":              {func(f *windowFigures) { f.reads = 1 }, "INVALID: the replay did other work than production: it has 1.0 reads a transaction and not 14.0"},
		"writes":             {func(f *windowFigures) { f.writes = 3 }, "INVALID: the replay did other work than production: it has 3.0 writes a transaction and not 4.0"},
		"three times COMMIT": {func(f *windowFigures) { f.other = 6 }, "INVALID: the replay did other work than production: it has 6.0 other statements a transaction and not 2.0"},
		"rows":               {func(f *windowFigures) { f.read, f.written = 41.2, 2 }, "INVALID: the replay did other work than production: it has 41.2 rows read a transaction and not 412.0, 2.0 rows written a transaction and not 4.0"},
		"rows not known":     {func(f *windowFigures) { f.read = math.NaN() }, ""},
	} {
		arm := same
		c.change(&arm)
		if got := otherWork("the replay", "production", arm, same); got != c.says {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
	}
}

// TestReplayOfWholeSeconds: a log of whole seconds does not carry the latency of a transaction, so the comparison of a
// replay with it has no ratio of latencies, and the file and the text have the time of the statements as the least. The
// same log with microseconds has them.
func TestReplayOfWholeSeconds(t *testing.T) {
	write := func(stamp func(second, micro int) string) string {
		var b strings.Builder
		for n := range 60 {
			for i, text := range []string{"BEGIN", fmt.Sprintf("SELECT a FROM t WHERE id = %d", n), fmt.Sprintf("UPDATE t SET a = 1 WHERE id = %d", n), "COMMIT"} {
				fmt.Fprintf(&b, "# Time: %s\n# User@Host: app[app] @ web-1 [10.0.0.7]\n# Thread_id: 7  Schema: shop  QC_hit: No\n# Query_time: 0.010000  Lock_time: 0.000011  Rows_sent: 1  Rows_examined: 1\nuse shop;\nSET timestamp=%d;\n%s;\n",
					stamp(n, (i+1)*20_000), 1_772_618_400+n, text)
			}
		}
		return b.String()
	}
	replay := windowFigures{reads: 1, writes: 1, other: 2, rate: 1, mean: 50, p95: 60}
	for name, c := range map[string]struct {
		text       string
		mean, p95  string
		file, kind string
	}{
		"whole seconds": {write(func(s, _ int) string { return fmt.Sprintf("260304 10:00:%02d", s) }),
			"mean ms: captured not known, replay 50.00", "p95 ms: captured not known, replay 60.00", "latency not known, at least 40.00 ms", "latency not known, at least 40.00 ms"},
		"microseconds": {write(func(s, us int) string { return fmt.Sprintf("2026-03-04T10:00:%02d.%06dZ", s, us) }),
			"mean ms: captured 70.00, replay 50.00, ratio 0.714", "p95 ms: captured 70.00, replay 60.00, ratio 0.857", "mean 70.00 ms, p95 70.00 ms (60 timed)", "mean 70.00 ms"},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := capture.ReadLog(strings.NewReader(c.text), "")
			if err != nil {
				t.Fatal(err)
			}
			d, err := capture.Describe(t.Context(), seen, capture.Dictionary{}, capture.Options{Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Join(againstCapture(d, replay), "\n")
			for _, want := range []string{"reads a transaction: captured 1.00, replay 1.00, ratio 1.000", "rows read a transaction: captured not known", c.mean, c.p95} {
				if !strings.Contains(lines, want) {
					t.Errorf("%q is not in\n%s", want, lines)
				}
			}
			if text := string(d.File.Marshal()); !strings.Contains(text, c.file) || !strings.Contains(d.Kinds[0].String(), c.kind) {
				t.Errorf("%s in\n%s", d.Kinds[0], text)
			}
			if got := againstCapture(d, windowFigures{reads: 14, writes: 4}); len(got) != 1 || !strings.HasPrefix(got[0], "INVALID: the replay did other work than the capture: it has 14.0 reads") {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestRatioNotKnown: a figure that is missing on one side in one round has no ratio.
func TestRatioNotKnown(t *testing.T) {
	rounds := make([][3]windowFigures, replayRounds)
	for i := range rounds {
		rounds[i] = [3]windowFigures{{mean: 2}, {mean: 2}, {mean: 1}}
	}
	mean := figuresOf()[6]
	if got := ratioOf(rounds, mean, 2, 0); got != "0.500 [0.500, 0.500]" {
		t.Error(got)
	}
	for _, missing := range []float64{0, math.NaN()} {
		rounds[3][0].mean = missing
		if got := ratioOf(rounds, mean, 2, 0); got != "not known" {
			t.Errorf("%v: %s", missing, got)
		}
	}
}
