package summary

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// slowest gives the sums of a window their places' names.
func slowest(p *workload.Program, s *loop.Slowest) *record.Slowest {
	if s == nil || s.All == 0 {
		return nil
	}
	out := &record.Slowest{All: s.All, Slow: s.Slow}
	for i, name := range loop.Places(p) {
		out.Parts = append(out.Parts, record.SlowestPart{Name: name, AllNS: s.AllNS[i], SlowNS: s.SlowNS[i]})
	}
	return out
}

// worthALine is the least share of a transaction, of an average one or of a slow one,
// that is printed; the JSON has all.
const worthALine = 0.01

// slowest prints where an average transaction and one of the slowest spend their time,
// the latter's longest part first.
func (r *Summary) slowest(w io.Writer) {
	s := r.Slowest
	if !s.Enough() {
		return
	}
	all, slow := s.Took()
	fmt.Fprintf(w, "\nThe slowest: %d of %d transactions (%.2f %%) took as long as the 99th percentile of those before them, or longer.\n",
		s.Slow, s.All, 100*float64(s.Slow)/float64(s.All))
	width := 32
	parts := r.labelledParts(s.Parts)
	for _, p := range parts {
		width = max(width, len([]rune(p.Name)))
	}
	fmt.Fprintf(w, "%-*s         of all     share  of the slowest  share\n", width+4, "Mean of a transaction (ms):")
	line := func(name string, ofAll, ofSlow int64) {
		fmt.Fprintf(w, "    %-*s %14.3f %7.2f %% %14.3f %7.2f %%\n", width, name, float64(ofAll)/1e6/float64(s.All), percent(ofAll, all),
			float64(ofSlow)/1e6/float64(s.Slow), percent(ofSlow, slow))
	}
	line("a transaction", all, slow)
	for _, p := range longestFirst(parts) {
		if percent(p.AllNS, all) >= 100*worthALine || percent(p.SlowNS, slow) >= 100*worthALine {
			line(p.Name, p.AllNS, p.SlowNS)
		}
	}
}

// labelledParts are the parts of a transaction by their labels; those of one label are one.
func (r *Summary) labelledParts(parts []record.SlowestPart) (all []record.SlowestPart) {
	labels := r.labels()
	for _, p := range parts {
		p.Name = cmp.Or(labels[p.Name], p.Name)
		if i := slices.IndexFunc(all, func(a record.SlowestPart) bool { return a.Name == p.Name }); i >= 0 {
			all[i].AllNS, all[i].SlowNS = all[i].AllNS+p.AllNS, all[i].SlowNS+p.SlowNS
			continue
		}
		all = append(all, p)
	}
	return all
}

func percent(part, whole int64) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

func longestFirst(parts []record.SlowestPart) []record.SlowestPart {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b record.SlowestPart) int { return int(min(max(b.SlowNS-a.SlowNS, -1), 1)) })
	return parts
}
