package report

// Mark is how a verdict looks: hue never carries it alone.
type Mark struct {
	Verdict string
	Glyph   string // Unicode
	ASCII   string
	Token   string // colour token of the page
	ANSI    string // one of the terminal's own 16 colours
}

// Marks are the verdicts in the order of their weight.
func Marks() []Mark {
	return []Mark{
		{"invalid", "✕", "x", "invalid", "35"},
		{"failed", "!", "!", "invalid", "35"},
		{"costs", "▲", "^", "cost", "33"},
		{"gains", "▼", "v", "gain", "34"},
		{"within-margin", "△", "^.", "neutral", "36"},
		{"equivalent", "=", "=", "equivalent", "32"},
		{"inconclusive", "?", "?", "inconclusive", "95"},
		{"not-measured", "–", "-", "inconclusive", "95"},
		{"sealed", "…", ".", "neutral", "36"},
	}
}

// MarkOf is the mark of a verdict; one of a later version of tare has a question mark.
func MarkOf(verdict string) Mark {
	for _, m := range Marks() {
		if m.Verdict == verdict {
			return m
		}
	}
	return Mark{verdict, "?", "?", "inconclusive", "95"}
}
