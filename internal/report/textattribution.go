package report

import (
	"math"
	"strings"

	"github.com/mattn/go-runewidth"
)

// textAttribution is the waterfall: one row for each layer, then what is left
// and the total. Below 60 columns the numbers remain.
func textAttribution(s *screen, doc *Document) {
	for _, a := range doc.divided() {
		s.heading(doc.say("text.attribution"))
		s.words("  ", 2, doc.say("arm.against", "arm", doc.called(a.To, a.Threads), "base", a.From))
		steps := a.steps(doc.words())
		name, numbers := 0, 0
		for _, w := range steps {
			name = max(name, runewidth.StringWidth(inert(w.Name)))
			numbers = max(numbers, len(stepNumbers(w, a.digits(), true)))
		}
		name = min(name, s.Width*3/10)
		room := s.Width - name - numbers - 7
		for _, w := range steps {
			line := "  " + s.name(w.Name, name) + "  "
			if s.Width >= 60 && room >= 12 {
				line += s.bar(w, waterScale(steps), room) + "  "
			}
			s.line(line + s.paint(boldIf(w.Total), stepNumbers(w, a.digits(), true)))
		}
		if back := strings.TrimSpace(doc.givesBack(a)); back != "" {
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
func (s *screen) bar(w waterStep, of scale, width int) string {
	full, zero := '█', '│'
	if !s.Unicode {
		full, zero = '#', '|'
	}
	cells := []rune(strings.Repeat(" ", width))
	place := func(v float64) int { return min(width-1, max(0, int(of.at(v)*float64(width)))) }
	cells[place(0)] = zero
	from, to := place(math.Min(w.From, w.To)), place(math.Max(w.From, w.To))
	for i := from; i <= to; i++ {
		cells[i] = full
	}
	_, code := w.colour()
	return s.paint(code, string(cells))
}
