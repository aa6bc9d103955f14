package language

// This file fills the slots of texts. In Chinese, a space stands between a Chinese character and a Latin letter or a digit;
// a slot gets it here, because its text does not say what the value begins and ends with.

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// named is a slot in the texts that Say fills.
var named = regexp.MustCompile(`\{[^{}]*\}`)

// fill puts values into the slots of a text: name, value, name, value. A slot that is not given stays.
func (l *Language) fill(text string, slots []string) string {
	return l.replace(text, named, func(slot string) string {
		for i := 0; i+1 < len(slots); i += 2 {
			if slot == "{"+slots[i]+"}" {
				return slots[i+1]
			}
		}
		return slot
	})
}

// replace puts a value in the place of every slot.
func (l *Language) replace(text string, slots *regexp.Regexp, value func(slot string) string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	last := rune(0)
	write := func(piece string) {
		if piece == "" {
			return
		}
		if l.Tag == "zh" {
			if first, _ := utf8.DecodeRuneInString(piece); apart(last, first) {
				b.WriteByte(' ')
			}
			if closes(last) && !strings.HasPrefix(piece, "  ") { // two are a column
				piece = strings.TrimPrefix(piece, " ")
			}
		}
		if piece == "" {
			return
		}
		b.WriteString(piece)
		last, _ = utf8.DecodeLastRuneInString(piece)
	}
	end := 0
	for _, at := range slots.FindAllStringIndex(text, -1) {
		write(text[end:at[0]])
		write(value(text[at[0]:at[1]]))
		end = at[1]
	}
	write(text[end:])
	return b.String()
}

// closes says that no space follows a character: its own width holds one.
func closes(r rune) bool { return strings.ContainsRune("，。；：、）】》", r) }

// apart says that a space stands between two characters.
func apart(before, after rune) bool {
	han := func(r rune) bool { return unicode.Is(unicode.Han, r) }
	latin := func(r rune) bool { return unicode.Is(unicode.Latin, r) || unicode.IsDigit(r) }
	return han(before) && latin(after) || (latin(before) || before == '%') && han(after)
}
