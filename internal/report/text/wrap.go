package text

// This file breaks text into lines: English at spaces, Chinese between characters as well.

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// Width is that of the lines of reports that are not fitted to a terminal.
const Width = 100

// Paragraph is text in lines of at most [Width] cells, the first after first, which counts as text, and the others
// indented by so many cells.
func Paragraph(first string, indent int, text string) string {
	words := strings.TrimLeft(first, " ")
	lead := len(first) - len(words)
	lines := wrap(words+text, Width-max(indent, lead))
	return first[:lead] + strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n"
}

// wrap breaks text into lines of at most width cells. It breaks at spaces, and between wide characters, which have none
// between words; a word of Latin letters or a number beside wide characters stays whole. What is longer than a line is
// broken where it must.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range units(strings.Fields(text)) {
		space := " "
		for _, piece := range pieces(word) {
			if line != "" && runewidth.StringWidth(line+space+piece) > width {
				lines, line = append(lines, line), ""
			}
			for runewidth.StringWidth(piece) > width {
				head := runewidth.Truncate(piece, width, "")
				if head == "" {
					break
				}
				lines, piece = append(lines, head), piece[len(head):]
			}
			if line != "" {
				line += space
			}
			line, space = line+piece, ""
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// Marks that no line begins or ends with (GB/T 15834-2011, 5.1).
const (
	closing = "，。、；：！？）】》」』”’…％%,.;:!?)]"
	opening = "（【《「『“‘(["
)

// pieces are the parts of a word between which a line may end: a wide character is one, with the marks that stay with
// it, and what is between wide characters is one.
func pieces(word string) (all []string) {
	begin, before := 0, rune(0)
	for i, r := range word {
		apart := i > 0 && (wide(r) || wide(before))
		if apart && !strings.ContainsRune(closing, r) && !strings.ContainsRune(opening, before) {
			all, begin = append(all, word[begin:i]), i
		}
		before = r
	}
	return append(all, word[begin:])
}

func wide(r rune) bool { return runewidth.RuneWidth(r) == 2 }

// units keeps a percent sign and a unit with their number.
func units(words []string) []string {
	var out []string
	for _, w := range words {
		if len(out) > 0 && (strings.HasPrefix(w, "%") || isUnit(w) && unicode.IsDigit(rune(out[len(out)-1][len(out[len(out)-1])-1]))) {
			out[len(out)-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func isUnit(word string) bool {
	return slices.Contains([]string{"CPU", "GiB", "MiB", "KiB", "ms"}, strings.TrimRight(word, ",.;"))
}
