package report

import (
	"fmt"
	"io"
	"strings"
)

// HistoryText writes one line for each arm, and one for each change.
func HistoryText(w io.Writer, h *History) error {
	var b strings.Builder
	for _, s := range h.Series {
		fmt.Fprintf(&b, "%s with %s: %s", inert(s.Arm), count(s.Threads, "thread"), count(len(s.Points), "run"))
		if len(s.Shifts) == 0 {
			b.WriteString(", no change of level found\n")
			continue
		}
		b.WriteString("\n")
		for _, c := range s.Shifts {
			fmt.Fprintf(&b, "  from %s on: %s %% (%s, %s before and %d after)\n", inert(c.Run), decimal(float64(c.ChangePercent), 1),
				c.spread(), count(c.Before, "run"), c.After)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

func (c Shift) spread() string {
	if c.Interval == nil {
		return "no interval"
	}
	return fmt.Sprintf("95 %% interval %s to %s", decimal(float64(c.Interval[0]), 1), decimal(float64(c.Interval[1]), 1))
}
