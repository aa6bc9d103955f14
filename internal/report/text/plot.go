package text

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// plotRunes are what a plot is drawn with.
type plotRunes struct{ band, zero, thin, thick, point, unsettled, cross, left, right rune }

func (s *screen) plotRunes() plotRunes {
	if s.Unicode {
		return plotRunes{'░', '│', '─', '━', '●', '◐', '┿', '◀', '▶'}
	}
	return plotRunes{':', '|', '-', '=', 'o', 'o', '+', '<', '>'}
}

// textIntervals draws one row per contrast: the margin as a band, zero, the 95 %
// interval thin, the 90 % interval thick. Below 60 columns the numbers remain.
func textIntervals(s *screen, doc *report.Document) {
	if !slices.ContainsFunc(doc.Contrasts, func(c report.Contrast) bool { return c.Interval != nil }) {
		return
	}
	name := s.nameWidth(doc)
	numbers := 0
	for i := range doc.Contrasts {
		numbers = max(numbers, runewidth.StringWidth(doc.NumbersOf(&doc.Contrasts[i])))
	}
	head := doc.Say("text.plot-head")
	numbers = max(numbers, runewidth.StringWidth(head))
	// name, gap, plot, gap, numbers, gap, glyph of at most 2
	width := s.Width - name - numbers - 8
	s.gap()
	sc := report.ScaleOf(doc)
	if s.Width < 60 || width < 12 {
		width = 0
	} else {
		s.axis(doc.Language(), sc, name, width)
	}
	for i := range doc.Contrasts {
		s.intervalRow(doc, &doc.Contrasts[i], sc, name, width, numbers)
	}
	if width > 0 {
		r := s.plotRunes()
		legend := doc.Say("text.plot-legend", "band", string(r.band), "margin", report.Trimmed(doc.Run.MarginPercent), "thin", string([]rune{r.thin, r.thin}),
			"thick", string([]rune{r.thick, r.thick}), "point", string(r.point))
		legend = s.ascii(legend)
		indent := max(0, min(name+2, s.Width-runewidth.StringWidth(legend)))
		s.line(strings.Repeat(" ", indent) + s.paint(dim, legend))
	}
}

// axis is the line of ticks over the rows, and which way is worse.
func (s *screen) axis(l *language.Language, sc report.Scale, name, width int) {
	arrows, right := "< "+l.Say("text.faster"), l.Say("text.slower")+" >"
	if s.Unicode {
		arrows, right = "◀ "+l.Say("text.faster"), l.Say("text.slower")+" ▶"
	}
	blank := width - runewidth.StringWidth(arrows) - runewidth.StringWidth(right)
	if blank > 0 {
		s.line(strings.Repeat(" ", name+2) + s.paint(dim, arrows+strings.Repeat(" ", blank)+right))
	}
	row := []byte(strings.Repeat(" ", width+4))
	free := 0
	for _, t := range sc.Ticks(width / 10) {
		tick := report.TickLabel(t)
		at := max(0, int(sc.At(t)*float64(width-1)+0.5)-len(tick)/2)
		if at >= free && at+len(tick) <= len(row) {
			copy(row[at:], tick)
			free = at + len(tick) + 1
		}
	}
	s.line(strings.Repeat(" ", name+2) + string(row[:width]) + "  " + s.paint(dim, l.Say("text.plot-head")))
}

func (s *screen) intervalRow(doc *report.Document, c *report.Contrast, sc report.Scale, name, width, numbers int) {
	m := report.MarkOf(c.Shown())
	row := s.name(doc.Label(c.Arm, c.Threads), name) + "  "
	if width > 0 {
		row += s.plot(doc, c, sc, width) + "  "
	}
	s.line(row + runewidth.FillRight(doc.NumbersOf(c), numbers) + "  " + s.paint(m.Bold(), s.glyph(c.Shown())))
}

func (s *screen) plot(doc *report.Document, c *report.Contrast, sc report.Scale, width int) string {
	r := s.plotRunes()
	cells := []rune(strings.Repeat(" ", width))
	cell := func(v float64) int { return min(width-1, max(0, int(sc.At(v)*float64(width-1)+0.5))) }
	// A cell is coarse, but the side of zero on which a value lies is what the
	// verdict rests on: only zero is drawn on zero.
	place := func(v float64) int {
		switch at, zero := cell(v), cell(0); {
		case v > 0:
			return min(width-1, max(at, zero+1))
		case v < 0:
			return max(0, min(at, zero-1))
		default:
			return zero
		}
	}
	fill := func(lo, hi float64, with rune) {
		for i := place(lo); i <= place(hi); i++ {
			cells[i] = with
		}
	}
	margin := float64(doc.Run.MarginPercent)
	fill(-margin, margin, r.band)
	cells[place(0)] = r.zero
	if c.Interval == nil {
		return string(cells)
	}
	cost := report.CostOf(c)
	fill(cost.Lo, cost.Hi, r.thin)
	fill(cost.Lo90, cost.Hi90, r.thick)
	if zero := place(0); cells[zero] != r.zero {
		cells[zero] = r.cross
	}
	if cost.Lo < sc.Lo {
		cells[0] = r.left
	}
	if cost.Hi > sc.Hi {
		cells[width-1] = r.right
	}
	point := r.point
	if c.PastMargin == "unsettled" {
		point = r.unsettled
	}
	if cost.Mid >= sc.Lo && cost.Mid <= sc.Hi { // one beyond the scale is in the numbers, and the arrow points to it
		cells[place(cost.Mid)] = point
	}
	return s.paint(report.MarkOf(c.Shown()).ANSI, string(cells))
}
