package file

import (
	"slices"
	"strings"
)

// sql is what a look at a statement's text shows: enough to count its parameters and to
// say whether it reads or writes. What is wrong with it says the server.
type sql struct {
	marks []int    // offsets of the question marks that are parameters
	words []string // in upper case, outside parentheses
	inner string   // the first word of all, which may be in parentheses
	more  bool     // another statement follows after a semicolon
	open  bool     // a string, a name or a comment does not end
}

// lookAt reads a statement. Strings, quoted names and comments are as MySQL has them
// (manual, Lexical Structure); the text of /*! ... */ is part of the statement.
func lookAt(text string) sql {
	var s sql
	depth, ended := 0, false
	for i := 0; i < len(text); {
		c := text[i]
		n, skip := skipped(text[i:])
		switch {
		case skip && n < 0:
			s.open = true
			return s
		case skip:
			s.more = s.more || ended && n > 0 && quoted(c)
			i += n
			continue
		case c == ';':
			ended = true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case strings.HasPrefix(text[i:], "*/"): // the end of /*!
			i++
		default:
			s.more = s.more || ended
		}
		switch {
		case c == '?':
			s.marks = append(s.marks, i)
		case c == '(':
			depth++
		case c == ')':
			depth--
		case letter(c):
			word := text[i : i+wordLength(text[i:])]
			s.word(strings.ToUpper(word), depth)
			i += len(word)
			continue
		}
		i++
	}
	return s
}

// mostWords is how many words are kept: those that say what a statement does come early,
// but after the common table expressions of WITH, which are in parentheses.
const mostWords = 200

func (s *sql) word(word string, depth int) {
	if s.inner == "" {
		s.inner = word
	}
	if depth == 0 && len(s.words) < mostWords {
		s.words = append(s.words, word)
	}
}

func quoted(c byte) bool { return c == '\'' || c == '"' || c == '`' }

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '@' || c == '$' || c >= 0x80 || c >= '0' && c <= '9'
}

func wordLength(text string) int {
	for i := range len(text) {
		if !letter(text[i]) {
			return i
		}
	}
	return len(text)
}

// skipped is the length of the string, quoted name or comment that a text begins with, -1
// where it does not end; skip is false where the text begins with something else.
func skipped(text string) (n int, skip bool) {
	until := func(end string, from int) (int, bool) {
		if at := strings.Index(text[from:], end); at >= 0 {
			return from + at + len(end), true
		}
		return -1, true
	}
	line := func() (int, bool) {
		if at := strings.IndexByte(text, '\n'); at >= 0 {
			return at + 1, true
		}
		return len(text), true
	}
	switch {
	case quoted(text[0]):
		return quotedLength(text), true
	case strings.HasPrefix(text, "/*!"):
		return 3 + wordLength(text[3:]), true // with its version
	case strings.HasPrefix(text, "/*"):
		return until("*/", 2)
	case text[0] == '#':
		return line()
	case strings.HasPrefix(text, "--") && (len(text) == 2 || strings.ContainsRune(" \t\r\n", rune(text[2]))):
		return line()
	}
	return 0, false
}

func quotedLength(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote != '`':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return -1
}

// Parameters are the offsets of the question marks in a statement that are parameters.
func Parameters(text string) []int { return lookAt(text).marks }

// Classify says whether a statement reads, writes, or does neither. SELECT ... FOR UPDATE
// reads, as sysbench counts it; a call is a write, because nothing says that it is not.
func Classify(text string) string {
	s := lookAt(text)
	words := s.words
	if len(words) == 0 {
		words = []string{s.inner}
	}
	for _, w := range words {
		switch {
		case slices.Contains(writing(), w):
			return ClassWrite
		case slices.Contains(reading(), w):
			return ClassRead
		case words[0] != "WITH":
			return ClassOther
		}
	}
	return ClassOther
}

func reading() []string {
	return []string{"SELECT", "TABLE", "VALUES", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "UNION", "HANDLER", "CHECKSUM"}
}

func writing() []string {
	return []string{"INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD", "CALL", "CREATE", "DROP", "ALTER", "TRUNCATE", "RENAME", "IMPORT", "OPTIMIZE"}
}

// controls says that a statement begins or ends a transaction, which MySQL does not prepare.
func controls(text string) bool {
	s := lookAt(text)
	return slices.Contains([]string{"BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "XA"}, s.inner)
}

// Unprepared says that a statement is sent as text because MySQL does not prepare it in its
// binary protocol (manual, PREPARE Statement; error 1295).
func Unprepared(text string) bool {
	s := lookAt(text)
	return controls(text) && s.inner != "COMMIT" || slices.Contains([]string{"USE", "LOCK", "UNLOCK", "LOAD", "HANDLER"}, s.inner)
}
