package text

import (
	"math"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

// textAttribution is the waterfall: one row for each layer, then what is left
// and the total. Below 60 columns the numbers remain.
func textAttribution(s *screen, doc *report.Document) {
	for _, a := range doc.Divided() {
		s.heading(doc.Say("text.attribution"))
		s.words("  ", 2, doc.Say("arm.against", "arm", doc.Called(a.To, a.Threads), "base", a.From))
		steps := a.Steps(doc.Language())
		name, numbers := 0, 0
		for _, w := range steps {
			name = max(name, runewidth.StringWidth(safe.Name(w.Name)))
			numbers = max(numbers, len(report.StepNumbers(w, a.Digits(), true)))
		}
		name = min(name, s.Width*3/10)
		room := s.Width - name - numbers - 7
		for _, w := range steps {
			line := "  " + s.name(w.Name, name) + "  "
			if s.Width >= 60 && room >= 12 {
				line += s.bar(w, report.WaterScale(steps), room) + "  "
			}
			s.line(line + s.paint(boldIf(w.Total), report.StepNumbers(w, a.Digits(), true)))
		}
		if back := strings.TrimSpace(doc.GivesBack(a)); back != "" {
			s.words("  ", 2, back)
		}
	}
}

func boldIf(yes bool) string {
	if yes {
		return bold
	}
	return ""
}

// bar is a step of the waterfall in width cells, zero marked.
func (s *screen) bar(w report.WaterStep, of report.Scale, width int) string {
	full, zero := '█', '│'
	if !s.Unicode {
		full, zero = '#', '|'
	}
	cells := []rune(strings.Repeat(" ", width))
	place := func(v float64) int { return min(width-1, max(0, int(of.At(v)*float64(width)))) }
	cells[place(0)] = zero
	from, to := place(math.Min(w.From, w.To)), place(math.Max(w.From, w.To))
	for i := from; i <= to; i++ {
		cells[i] = full
	}
	_, code := w.Colour()
	return s.paint(code, string(cells))
}
