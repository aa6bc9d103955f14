package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// History writes one line for each arm, and one for each change.
func History(w io.Writer, h *report.History) error {
	var b strings.Builder
	for _, s := range h.Series {
		fmt.Fprintf(&b, "%s with %s%s: %s", safe.Name(s.Arm), count(s.Threads, "thread"), among(h, s), count(len(s.Points), "run"))
		if len(s.Shifts) == 0 {
			b.WriteString(", no change of level found\n")
			continue
		}
		b.WriteString("\n")
		for _, c := range s.Shifts {
			fmt.Fprintf(&b, "  from %s on: %s %% (%s, %s before and %d after)\n", safe.Name(c.Run), language.Decimal(float64(c.ChangePercent), 1),
				spread(c), count(c.Before, "run"), c.After)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// among tells a series from others of an arm of that name: of another experiment, or of runs with
// other data, load or windows.
func among(h *report.History, s report.Series) string {
	alike := func(o report.Series) bool { return o.Arm == s.Arm && o.Threads == s.Threads }
	if i := slices.IndexFunc(h.Series, alike); !slices.ContainsFunc(h.Series[i+1:], alike) {
		return ""
	}
	first := "first run " + safe.Name(s.Points[0].Run)
	if s.Experiment == "" {
		return ", " + first
	}
	return ", experiment " + safe.Name(s.Experiment) + ", " + first
}

func spread(c report.Shift) string {
	if c.Interval == nil {
		return "no interval"
	}
	return fmt.Sprintf("95 %% interval %s to %s", language.Decimal(float64(c.Interval[0]), 1), language.Decimal(float64(c.Interval[1]), 1))
}
