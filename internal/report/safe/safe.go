// Package safe makes names that come from outside harmless for every reader.
package safe

import (
	"fmt"
	"strings"
	"unicode"
)

// longest is how much of a name a view shows: names come from clusters, files
// and servers, and one of a megabyte would bury the report.
const longest = 200

// Name makes a string from anywhere harmless for any reader: control
// characters, which drive terminals, and directional marks, which make text read
// as something else (Boucher & Anderson, "Trojan Source", USENIX Security 2023),
// become visible marks; line ends become spaces; the rest is cut at longest.
func Name(s string) string { return Cut(Visible(ends(s, longest), false), longest) }

// Text is inert for a text of many lines, in full length.
func Text(s string) string { return Visible(s, true) }

// Visible is a string whose control characters and directional marks are visible; lines
// keeps its line ends and tabs.
func Visible(s string, lines bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' && lines, r == '\t' && lines:
			b.WriteRune(r)
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		case r == unicode.ReplacementChar:
			b.WriteString("<?>")
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ends leaves of a long string what cut may show of it: a name of a megabyte should
// not be gone through for every place that it stands in. A rune has at most 4 bytes.
func ends(s string, n int) string {
	if len(s) <= 16*n {
		return s
	}
	return s[:8*n] + s[len(s)-8*n:]
}

// Cut leaves the first and the last letters of a string that has more than n.
func Cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n/2]) + "..." + string(r[len(r)-n/2:])
}

// Sentence is inert for a sentence, which may hold several names.
func Sentence(s string) string { return Cut(Visible(ends(s, 1200), false), 1200) }
