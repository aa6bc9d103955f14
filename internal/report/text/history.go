package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// pointsShown is how many runs of a series are listed: the last ones, which are read first.
const pointsShown = 12

// History writes one line for each arm, one for each of its last runs, and one for each change.
func History(w io.Writer, h *report.History, l *language.Language) error {
	var b strings.Builder
	for _, s := range h.Series {
		b.WriteString(l.Say("history.series", "arm", safe.Name(s.Arm), "threads", l.Count(s.Threads, "thread"), "unit", l.Unit(s.Unit), "which", among(h, s, l), "runs", l.Count(len(s.Points), "run")))
		if len(s.Shifts) == 0 && len(s.Points) > 1 {
			b.WriteString(l.Say("history.level"))
		}
		b.WriteString("\n")
		writePoints(&b, s, l)
		writeLeftOut(&b, s, l)
		for _, c := range s.Shifts {
			fmt.Fprintf(&b, "  %s\n", l.Say("history.shift", "run", safe.Name(c.Run), "change", language.Decimal(float64(c.ChangePercent), 1),
				"interval", spread(c, l), "before", l.Count(c.Before, "run"), "after", fmt.Sprint(c.After)))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// writePoints lists the throughputs of the runs.
func writePoints(b *strings.Builder, s report.Series, l *language.Language) {
	if n := len(s.Points) - pointsShown; n > 0 {
		fmt.Fprintf(b, "  %s\n", l.Say("history.earlier", "runs", l.Count(n, "run")))
	}
	points := s.Points[max(0, len(s.Points)-pointsShown):]
	width := 0
	for _, p := range points {
		width = max(width, runewidth.StringWidth(safe.Name(p.Run)))
	}
	for _, p := range points {
		fmt.Fprintf(b, "  %s  ", runewidth.FillRight(safe.Name(p.Run), width))
		if p.Started != nil {
			fmt.Fprintf(b, "%s  ", p.Started.UTC().Format("2006-01-02 15:04"))
		}
		b.WriteString(report.Rate(p.Throughput))
		switch half := float64(p.HalfPercent); {
		case !p.HalfPercent.Known():
		case half > widestKnown:
			b.WriteString(l.Say("history.undetermined"))
		default:
			fmt.Fprintf(b, " ± %s %%", language.Decimal(float64(p.HalfPercent), 1))
		}
		b.WriteString("\n")
	}
}

// writeLeftOut lists the last runs that have no figure of the arm, with the reason.
func writeLeftOut(b *strings.Builder, s report.Series, l *language.Language) {
	for _, left := range s.LeftOut[max(0, len(s.LeftOut)-pointsShown):] {
		fmt.Fprintf(b, "  %s  ", safe.Name(left.Run))
		if left.Started != nil {
			fmt.Fprintf(b, "%s  ", left.Started.UTC().Format("2006-01-02 15:04"))
		}
		fmt.Fprintf(b, "%s\n", l.Say("history.left-out", "why", safe.Visible(l.Reason(left.Why), false)))
	}
}

// widestKnown is the half-width in % from which on a throughput is not determined: the interval reaches down to
// nothing.
const widestKnown = 100

// among tells a series from others of an arm of that name: of another experiment, or of runs that are not alike.
func among(h *report.History, s report.Series, l *language.Language) string {
	alike := func(o report.Series) bool { return o.Arm == s.Arm && o.Threads == s.Threads }
	if i := slices.IndexFunc(h.Series, alike); !slices.ContainsFunc(h.Series[i+1:], alike) {
		return ""
	}
	first := ""
	if len(s.Points) > 0 {
		first = safe.Name(s.Points[0].Run)
	} else if len(s.LeftOut) > 0 {
		first = safe.Name(s.LeftOut[0].Run)
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
