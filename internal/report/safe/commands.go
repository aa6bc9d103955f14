package safe

import (
	"strings"
	"unicode"
)

// Commands are the parts of a text in turn: words, a command that stands between backticks in the language files, words,
// and so on. Backticks without a partner, and those around an identifier of SQL, are words.
func Commands(text string) (parts []string) {
	parts = []string{""}
	add := func(words string) { parts[len(parts)-1] += words }
	for {
		before, rest, opened := strings.Cut(text, "`")
		command, after, closed := strings.Cut(rest, "`")
		if !opened || !closed {
			add(text)
			return parts
		}
		if add(before); strings.Contains(command, " ") {
			parts = append(parts, command, "")
		} else {
			add("`" + command + "`")
		}
		text = after
	}
}

// Quoted is a text for a terminal: a command stands between quotation marks.
func Quoted(text string) string {
	var b strings.Builder
	for i, part := range Commands(text) {
		if i%2 == 1 {
			part = `"` + part + `"`
		}
		b.WriteString(part)
	}
	return b.String()
}

// ShellWord is a text as one word of a command for a shell, between quotation marks where it needs them.
func ShellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+=@%", r)
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
