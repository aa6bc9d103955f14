package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// rowsShown is how many runs of a series are listed: the last ones, which are read first.
const rowsShown = 12

// History writes one line for each arm, one for each of its last runs, and one for each change.
func History(w io.Writer, h *report.History, l *language.Language) error {
	var b strings.Builder
	for _, s := range h.Series {
		rows := rowsOf(s, l)
		head := l.Say("history.series", "arm", safe.Name(s.Arm), "threads", l.Count(s.Threads, "thread"), "unit", l.Unit(s.Unit), "which", among(h, s, rows, l), "runs", l.Count(len(rows), "run"))
		if n := len(s.LeftOut); n > 0 {
			head += l.Say("history.without", "n", fmt.Sprint(n))
		}
		if len(s.Shifts) == 0 && len(s.Points) > 1 {
			head += l.Say("history.level")
		}
		if len(rows) > 1 {
			head += l.Say("history.order")
		}
		if slices.ContainsFunc(s.Points, func(p report.Point) bool { return determined(p) }) {
			head += l.Say("history.brackets")
		}
		writeWrapped(&b, "", 0, head)
		writeRows(&b, rows, l)
		for _, c := range s.Shifts {
			writeWrapped(&b, "  ", 2, l.Say("history.shift", "run", safe.Name(c.Run), "change", language.Decimal(float64(c.ChangePercent), 1),
				"interval", spread(c, l), "before", l.Count(c.Before, "run"), "after", fmt.Sprint(c.After)))
		}
	}
	writeOthers(&b, h, l)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// writeOthers says how runs on a busy machine have a figure, or what the figures hold that they have.
func writeOthers(b *strings.Builder, h *report.History, l *language.Language) {
	left, allowed := false, false
	for _, s := range h.Series {
		left = left || slices.ContainsFunc(s.LeftOut, func(o report.LeftOut) bool { return o.Why.Code == compare.BusyMachine })
		allowed = allowed || slices.ContainsFunc(s.Points, func(p report.Point) bool { return p.OthersPercent > 0 })
	}
	if left {
		writeWrapped(b, "", 0, l.Say("history.others-left-out"))
	}
	if allowed {
		writeWrapped(b, "", 0, l.Say("history.others-allowed"))
	}
}

// historyWidth is how wide the lines are: in a file and a pipe as in a terminal.
const historyWidth = 100

// writeWrapped writes text after first, which has the width of the indentation of the further lines.
func writeWrapped(b *strings.Builder, first string, indent int, text string) {
	for _, line := range wrap(text, max(40, historyWidth-indent)) {
		b.WriteString(first + line + "\n")
		first = strings.Repeat(" ", indent)
	}
}

// row is a run of a series: its figure, or why it has none.
type row struct {
	run     string
	started *time.Time
	said    string
}

// rowsOf are the runs of a series, the oldest first; those that do not say when they began are before all others.
func rowsOf(s report.Series, l *language.Language) (all []row) {
	for _, p := range s.Points {
		said := figure(p, l)
		if p.OthersPercent > 0 {
			said += l.Say("history.others", "share", language.Decimal(float64(p.OthersPercent), 0))
		}
		all = append(all, row{safe.Name(p.Run), p.Started, said})
	}
	for _, left := range s.LeftOut {
		all = append(all, row{safe.Name(left.Run), left.Started, l.Say("history.left-out", "why", safe.Visible(l.Reason(left.Why), false))})
	}
	began := func(r row) (at time.Time) {
		if r.started != nil {
			at = *r.started
		}
		return at
	}
	slices.SortStableFunc(all, func(a, b row) int { return began(a).Compare(began(b)) })
	return all
}

// figure is the throughput of a run.
func figure(p report.Point, l *language.Language) string {
	switch {
	case determined(p):
		return fmt.Sprintf("%s [%s, %s]", report.Rate(p.Throughput), report.Rate(p.Interval[0]), report.Rate(p.Interval[1]))
	case p.HalfPercent.Known():
		return report.Rate(p.Throughput) + l.Say("history.undetermined")
	}
	return report.Rate(p.Throughput)
}

// determined says that a throughput has an interval that says something.
func determined(p report.Point) bool { return p.Interval != nil && p.HalfPercent <= widestKnown }

// writeRows lists the last runs.
func writeRows(b *strings.Builder, rows []row, l *language.Language) {
	if n := len(rows) - rowsShown; n > 0 {
		fmt.Fprintf(b, "  %s\n", l.Say("history.earlier", "runs", l.Count(n, "run")))
		rows = rows[n:]
	}
	width := 0
	for _, r := range rows {
		width = max(width, runewidth.StringWidth(r.run))
	}
	for _, r := range rows {
		lead := "  " + runewidth.FillRight(r.run, width) + "  "
		if r.started != nil {
			lead += r.started.UTC().Format("2006-01-02 15:04") + "  "
		}
		writeWrapped(b, lead, min(runewidth.StringWidth(lead), historyWidth/2), r.said)
	}
}

// widestKnown is the half-width in % from which on a throughput is not determined: the interval reaches down to
// nothing.
const widestKnown = 100

// among tells a series from others of an arm of that name, of another experiment or of runs that are not alike, by its
// oldest run.
func among(h *report.History, s report.Series, rows []row, l *language.Language) string {
	alike := func(o report.Series) bool { return o.Arm == s.Arm && o.Threads == s.Threads }
	if i := slices.IndexFunc(h.Series, alike); !slices.ContainsFunc(h.Series[i+1:], alike) {
		return ""
	}
	first := ""
	if len(rows) > 0 {
		first = rows[0].run
	}
	if s.Experiment == "" {
		return l.Say("history.first", "run", first)
	}
	return l.Say("history.experiment", "name", safe.Name(s.Experiment), "run", first)
}

func spread(c report.Shift, l *language.Language) string {
	if c.Interval == nil {
		return l.Say("history.no-interval")
	}
	return l.Say("history.interval", "lo", language.Decimal(float64(c.Interval[0]), 1), "hi", language.Decimal(float64(c.Interval[1]), 1))
}
