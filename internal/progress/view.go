// What a terminal shows while a run is on.

package progress

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/tarebench/tare/internal/runner"
)

// look is what the terminal can do.
type look struct {
	width, height  int
	color, unicode bool
}

func (l look) paint(code, text string) string {
	if !l.color || code == "" || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// labelWidth is the column of the words on the left.
const labelWidth = 9

// view is the lines at now, each narrower than the terminal, and fewer than it is
// high.
func (s *state) view(l look, now time.Time) []string {
	below := []string{s.key(l), s.roundsLine(l), s.nowLine(l), s.rateLine(l), s.gatesLine(l), s.resultLine(l), s.leftLine(l, now)}
	lines := []string{fmt.Sprintf(" %s, plan %.8s, %d of %d trials done", s.name, s.plan.Hash, len(s.done), len(s.plan.Trials))}
	lines = append(lines, s.gridLines(l, l.height-len(below)-4)...)
	for _, line := range below {
		if line != "" {
			lines = append(lines, line)
		}
	}
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], l.width-1, "")
	}
	return lines
}

// gridLines draws the rows that fit, the current arm's among them, and of the
// columns those around the current round.
func (s *state) gridLines(l look, room int) []string {
	rows := s.grid()
	if room < 1 || len(rows) == 0 {
		return nil
	}
	wide := 0
	for _, r := range rows {
		wide = max(wide, ansi.StringWidth(r.label))
	}
	wide = min(wide, max(8, l.width/3))
	first, last := s.columns(max(1, (l.width-wide-5)/2))
	from, to := s.rows(rows, room)
	var lines []string
	for _, r := range rows[from:to] {
		label := ansi.Truncate(r.label, wide, "..")
		line := " " + label + strings.Repeat(" ", wide-ansi.StringWidth(label)) + " "
		for round := first; round <= last; round++ {
			line += " " + l.cell(s.of(r.trials[round]))
		}
		lines = append(lines, line)
	}
	if hidden := len(rows) - (to - from); hidden > 0 {
		lines = append(lines, l.paint("2", fmt.Sprintf(" and %d more arms", hidden)))
	}
	return lines
}

func (l look) cell(state string) string {
	m := marks()[state]
	if l.unicode {
		return l.paint(m.colour, m.glyph)
	}
	return l.paint(m.colour, m.ascii)
}

// columns are the rounds that n columns show: the current one is among them.
func (s *state) columns(n int) (first, last int) {
	if s.plan.Rounds <= n {
		return 1, s.plan.Rounds
	}
	first = min(max(1, s.trial.Round-n/2), s.plan.Rounds-n+1)
	return first, first + n - 1
}

func (s *state) rows(all []row, n int) (from, to int) {
	if len(all) <= n {
		return 0, len(all)
	}
	n = max(1, n-1) // one line says how many are hidden
	for i, r := range all {
		if r.trials[s.trial.Round].Number == s.trial.Number {
			from = min(max(0, i-n/2), len(all)-n)
		}
	}
	return from, from + n
}

// key says what the marks mean, of those that are on the screen.
func (s *state) key(l look) string {
	seen := map[string]bool{}
	for _, t := range s.plan.Trials {
		seen[s.of(t)] = true
	}
	line := ""
	for _, state := range keyOrder() {
		if seen[state] {
			line += "  " + l.cell(state) + " " + marks()[state].word
		}
	}
	return label("") + strings.TrimLeft(line, " ")
}

func label(text string) string { return fmt.Sprintf(" %-*s", labelWidth, text) }

func (s *state) roundsLine(l look) string {
	full, empty := "#", "."
	if l.unicode {
		full, empty = "█", "░"
	}
	n := max(10, min(30, l.width-50))
	part := n * len(s.done) / max(1, len(s.plan.Trials))
	line := label("rounds") + strings.Repeat(full, part) + strings.Repeat(empty, n-part) +
		fmt.Sprintf("  %d of %d", s.roundsDone(), s.plan.Rounds)
	if s.voided > 0 {
		line += fmt.Sprintf(", %d repeated", s.voided)
	}
	return line
}

func (s *state) nowLine(l look) string {
	if s.trial.Number == 0 {
		return label("now") + s.phase
	}
	t := s.trial
	what := fmt.Sprintf("round %d, %d threads: %s", t.Round, t.Threads, t.Arm)
	if s.plan.Sliced() && (s.second != nil || s.phase == runner.LoadPhase || s.phase == runner.RatePhase) {
		what = fmt.Sprintf("round %d: all arms in turn", t.Round)
	}
	line := label("now") + l.paint("1", what) + ", " + s.phase
	if s.second == nil {
		return line
	}
	at, of := s.second.End, s.warmup.Seconds()
	if !s.second.Warmup {
		at, of = at-of, s.measure.Seconds()
	}
	return line + fmt.Sprintf(" %.0f of %.0f s", min(max(0, at), of), of)
}

// rateLine is the sign of life: this trial's seconds, drawn on their own scale.
func (s *state) rateLine(l look) string {
	if s.second == nil {
		return ""
	}
	line := label("") + grouped(s.second.Transactions) + " tx/s"
	if l.unicode {
		line += "  " + l.paint("36", spark(s.rates, max(8, min(40, l.width-60))))
	}
	if s.second.Percentile > 0 {
		line += fmt.Sprintf("  p%g %.2f ms", s.second.Percentile, s.second.Latency)
	}
	if s.second.Errors > 0 {
		line += fmt.Sprintf("  %.0f errors/s", s.second.Errors)
	}
	return line
}

// grouped is a whole number with its thousands apart.
func grouped(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// spark draws the last n values from zero to their own maximum.
func spark(values []float64, n int) string {
	values = values[max(0, len(values)-n):]
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		if top == 0 {
			b.WriteRune(levels[0])
			continue
		}
		b.WriteRune(levels[min(len(levels)-1, int(v/top*float64(len(levels))))])
	}
	return b.String()
}

// gatesLine says which external factors disturbed the machine.
func (s *state) gatesLine(l look) string {
	switch n := s.roundsDone(); {
	case len(s.gates) > 0:
		v := s.gates[len(s.gates)-1]
		return label("gates") + l.paint("33", fmt.Sprintf("round %d: %s", v.Round, v.Causes[0]))
	case s.others >= s.mostOthers:
		return label("gates") + l.paint("33", fmt.Sprintf("busy machine: others use %.0f %% of the CPU time; a verdict needs less than %.0f %%", 100*s.others, 100*s.mostOthers))
	case n == 0:
		return ""
	case s.others >= tellOthers:
		return label("gates") + count(n, "round") + fmt.Sprintf("; others use %.0f %% of the CPU time", 100*s.others)
	case math.IsNaN(s.others) || s.plan.Sliced():
		return label("gates") + count(n, "round") + "; the load generator kept up"
	default:
		return label("gates") + count(n, "round") + ", none disturbed"
	}
}

// tellOthers is the share of the machine's CPU time from which on it is told that others use it.
const tellOthers = 0.05

// resultLine says why nothing is said about the arms.
func (s *state) resultLine(look) string {
	if s.plan.MaxRounds > s.plan.Rounds && len(s.plan.Extensions) == 0 {
		return label("result") + fmt.Sprintf("sealed; after round %d the plan may grow to %d", s.plan.Rounds, s.plan.MaxRounds)
	}
	return label("result") + fmt.Sprintf("sealed until round %d: looking early would bias it", s.plan.Rounds)
}

func (s *state) leftLine(l look, now time.Time) string {
	mid, lo, hi := s.left(now)
	line := label("left") + span(mid)
	if hi > 0 && span(lo) != span(hi) {
		line += " (" + fromTo(lo, hi) + ")"
	}
	clock := "15:04"
	if mid > 12*time.Hour {
		clock = "Monday 15:04"
	}
	line += ", until " + now.Add(mid).Format(clock)
	const hint = "; Ctrl-C stops, --resume continues"
	if len(line+hint) < l.width {
		line += hint
	}
	return line
}

// fromTo is a range of time, with the unit once where both ends have the same.
func fromTo(lo, hi time.Duration) string {
	from, to := strings.Fields(span(lo)), strings.Fields(span(hi))
	if len(from) == 2 && len(to) == 2 && from[1] == to[1] {
		return from[0] + " to " + to[0] + " " + to[1]
	}
	return span(lo) + " to " + span(hi)
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// span is a duration to a minute, in seconds below one.
func span(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	d = d.Round(time.Minute)
	if h := int(d.Hours()); h > 0 {
		return fmt.Sprintf("%d h %d min", h, int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}
