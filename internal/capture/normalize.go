package capture

// This file makes the normalised text of a statement in a log, as the server makes a digest:
// every literal becomes a question mark, every identifier is quoted. Nothing of a literal is
// kept but what [value] has.

import (
	"errors"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// value is what is known of a literal: never its text.
type value struct {
	// hash is the same for the same value in this process, and in no other.
	hash uint64
	// number is a whole number, for the mean of LIMIT and the distance between two; whole says that
	// it is one.
	number int64
	whole  bool
}

// normalized is a statement without literals.
type normalized struct {
	text string
	// values are those of the question marks of the text, in their order; the values of lists
	// and rows are not in it.
	values []value
	// list is the number of values of its longest IN list, rows that of the new rows of an
	// INSERT.
	list, rows int
	// several is how many statements the text has, if more than one.
	several int
}

var errQuote = errors.New("a quoted text is not closed")

// normalize makes the text. A statement that ends within a quoted text was cut off.
func normalize(statement string, seed maphash.Seed) (normalized, error) {
	return normalizeBound(statement, nil, seed)
}

// normalizeBound also has the values of the statement's question marks, in their order. Of
// those that it does not have, nothing is known.
func normalizeBound(statement string, bound []value, seed maphash.Seed) (normalized, error) {
	all, values, err := scanSQL(statement, bound, seed)
	if err != nil {
		return normalized{}, err
	}
	several := 0
	for i, l := range all {
		if l.is(";") && i > 0 && !all[i-1].is(";") {
			several++
		}
	}
	if several > 0 {
		several++ // the last one has no semicolon behind it
	}
	r := reducer{in: all, values: values}
	r.run()
	return normalized{text: spell(r.out), values: r.kept, list: r.list, rows: r.rows, several: several}, nil
}

// scanSQL splits SQL into the lexemes of a digest. values has one item for each parameter.
func scanSQL(text string, bound []value, seed maphash.Seed) (all []lexeme, values []value, err error) {
	s := scanner{bound: bound, seed: seed}
	for i := 0; i < len(text); {
		n, err := s.next(text[i:])
		if err != nil {
			return nil, nil, err
		}
		i += n
	}
	if s.executed {
		return nil, nil, errQuote
	}
	for n := len(s.all); n > 0 && s.all[n-1].is(";"); n-- {
		s.all = s.all[:n-1]
	}
	return s.all, s.values, nil
}

// scanner is how far a statement has been read: its lexemes, the values of its literals, and
// the bound values that its parameters have not taken yet.
type scanner struct {
	all           []lexeme
	values, bound []value
	seed          maphash.Seed
	// executed says that the place is in a comment that the server executes.
	executed bool
}

// next reads what text begins with, and returns its length.
func (s *scanner) next(text string) (n int, err error) {
	switch c := text[0]; {
	case c <= ' ':
		return 1, nil
	case c == '#', strings.HasPrefix(text, "--") && (len(text) == 2 || text[2] <= ' '):
		return lineLength(text), nil
	case strings.HasPrefix(text, "/*"):
		return s.comment(text)
	case s.executed && strings.HasPrefix(text, "*/"):
		s.executed = false
		return 2, nil
	case c == '*': // 2*/* a comment */3
		s.all = append(s.all, lexeme{symbol, "*"})
		return 1, nil
	case c == '`':
		id, n, ok := quoted(text)
		if !ok {
			return 0, errQuote
		}
		s.all = append(s.all, lexeme{name, id})
		return n, nil
	case c == '\'' || c == '"':
		return s.text(text)
	case c >= '0' && c <= '9', c == '.' && len(text) > 1 && text[1] >= '0' && text[1] <= '9' && !afterName(s.all):
		n = numberLength(text)
		s.literal(text[:n], text[:n])
		return n, nil
	case c == '?':
		var v value
		if len(s.bound) > 0 {
			v, s.bound = s.bound[0], s.bound[1:]
		}
		s.param(v)
		return 1, nil
	case isLetter(c):
		return s.word(text), nil
	}
	n = operator(text)
	s.all = append(s.all, lexeme{symbol, text[:n]})
	return n, nil
}

// comment leaves out what is none of the statement. Hints of the optimizer are, and so is the text of a
// comment with an exclamation mark (MySQL Reference Manual, "Comments" and "Optimizer Hints").
func (s *scanner) comment(text string) (n int, err error) {
	if rest, ok := strings.CutPrefix(text, "/*!"); ok && !s.executed {
		s.executed = true
		return len(text) - len(strings.TrimLeft(rest, "0123456789")), nil
	}
	end := strings.Index(text[2:], "*/")
	if end < 0 {
		return 0, errQuote
	}
	n = end + 4
	if k := len(s.all); strings.HasPrefix(text, hintBegin) && k > 0 && s.all[k-1].is("SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE") {
		s.all = append(s.all, lexeme{hint, strings.Join(strings.Fields(text[:n]), " ")})
	}
	return n, nil
}

// text reads a text literal, with what introduces its character set.
func (s *scanner) text(text string) (n int, err error) {
	n, ok := quotedLength(text)
	if !ok {
		return 0, errQuote
	}
	if k := len(s.all); k > 0 && s.all[k-1].part == word && strings.HasPrefix(s.all[k-1].text, "_") { // _utf8mb4 'a'
		s.all = s.all[:k-1]
	}
	s.literal(text[:n], text[1:n-1])
	return n, nil
}

// word reads a keyword or a name.
func (s *scanner) word(text string) (n int) {
	for n = 1; n < len(text) && (isLetter(text[n]) || text[n] >= '0' && text[n] <= '9'); n++ {
	}
	upper := strings.ToUpper(text[:n])
	switch {
	case introduces(upper) && n < len(text) && (text[n] == '\'' || text[n] == '"'): // _utf8mb4'a', x'00'
	case upper == "NULL" && !afterIs(s.all) || upper == "TRUE" || upper == "FALSE":
		s.param(value{hash: maphash.String(s.seed, upper)})
	default:
		s.all = append(s.all, wordOrName(text[:n], upper, s.all, nextByte(text[n:])))
	}
	return n
}

// literal adds a literal by its text and what stands for its number.
func (s *scanner) literal(text, number string) {
	v := value{hash: maphash.String(s.seed, text)}
	v.number, v.whole = numberIn(number)
	s.param(v)
}

// param adds a value, to which the sign before a number belongs.
func (s *scanner) param(v value) {
	all := s.all
	if n := len(all); n > 0 && all[n-1].is("-", "+") && (n == 1 || all[n-2].part == symbol && !all[n-2].is(")") || all[n-2].part == word) {
		if all[n-1].is("-") {
			v.number = -v.number
		}
		all = all[:n-1]
	}
	s.all, s.values = append(all, lexeme{param, "?"}), append(s.values, v)
}

func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return len(text)
}

// quotedLength is the length of a text in quotes at the beginning.
func quotedLength(text string) (int, bool) {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1, true
		}
	}
	return 0, false
}

// numberLength is that of a number: 12, 1.5e-3, 0xFF.
func numberLength(text string) int {
	i := 1
	for ; i < len(text); i++ {
		c := text[i]
		sign := (c == '-' || c == '+') && (text[i-1] == 'e' || text[i-1] == 'E') && !strings.HasPrefix(text, "0x")
		if c != '.' && !sign && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
	}
	return i
}

func numberIn(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// introduces says that a word before a text belongs to it: a character set, or the base.
func introduces(word string) bool {
	return strings.HasPrefix(word, "_") || word == "X" || word == "B" || word == "N"
}

func afterName(all []lexeme) bool { return len(all) > 0 && all[len(all)-1].part == name }

// afterIs says that NULL follows IS or IS NOT, or describes a column: no value.
func afterIs(all []lexeme) bool {
	n := len(all)
	return n > 0 && (all[n-1].is("IS") || all[n-1].is("NOT") && n > 1 && all[n-2].is("IS"))
}

func nextByte(text string) byte {
	if text = strings.TrimLeft(text, " \t\r\n"); text == "" {
		return 0
	}
	return text[0]
}

// wordOrName says whether a word is a keyword, the name of a function, or an identifier.
func wordOrName(text, upper string, before []lexeme, next byte) lexeme {
	var last lexeme
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch {
	case last.is("USE") && len(before) == 1, last.is("."), next == '.' && !last.is("@"), strings.HasPrefix(last.text, "@") && last.part == symbol:
		return lexeme{name, text}
	case next == '(' && last.is("INTO", "INSERT", "REPLACE", "IGNORE", "TABLE"):
		return lexeme{name, text}
	case next == '(', slices.Contains(reserved, upper), strings.HasPrefix(text, "_"):
		return lexeme{word, upper}
	case slices.Contains(soft, upper) && (len(before) == 0 || !beforeName(last)):
		return lexeme{word, upper}
	}
	return lexeme{name, text}
}
