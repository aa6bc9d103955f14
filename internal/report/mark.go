package report

import "strings"

// Mark is how a verdict looks: hue never carries it alone.
type Mark struct {
	Verdict string
	Glyph   string // Unicode
	ASCII   string
	Token   string // colour token of the page
	ANSI    string // one of the terminal's own 16 colours; "" for none
}

// Bold is the code of a mark in bold type.
func (m Mark) Bold() string { return strings.TrimSuffix("1;"+m.ANSI, ";") }

// Marks are the verdicts in the order of their weight. Busy and early are what a contrast without a verdict is
// shown as; see Contrast.Shown.
func Marks() []Mark {
	return []Mark{
		{"invalid", "✕", "x", "invalid", "35"},
		{"failed", "!", "!", "invalid", "35"},
		{"costs", "▲", "^", "cost", "33"},
		{"gains", "▼", "v", "gain", "34"},
		{"within-margin", "△", "^.", "neutral", "36"},
		{"equivalent", "=", "=", "equivalent", "32"},
		{"busy", "?", "?", "neutral", ""},
		{"inconclusive", "?", "?", "inconclusive", "95"},
		{"early", "?", "?", "neutral", ""},
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
