package capture

// This file splits a digest text into its parts. The server has replaced every literal by a
// question mark, and has put every identifier between backquotes, except the names of
// functions that are keywords (sql/sql_digest.cc and sql/gen_lex_token.cc of MySQL 8.4).

import (
	"errors"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/mysqld"
)

type part uint8

const (
	word   part = iota // a keyword, in capital letters
	name               // an identifier, without its quotes
	param              // a value
	more               // "...": an unknown number of values
	rows               // "/* , ... */": an unknown number of rows like the one before
	symbol             // anything else
	hint               // "/*+ ... */": hints of the optimizer
)

const hintBegin = "/*+"

// lexeme is one part of a digest text.
type lexeme struct {
	part part
	text string
}

func (l lexeme) is(texts ...string) bool {
	return (l.part == word || l.part == symbol) && slices.Contains(texts, l.text)
}

// Reasons why a digest text cannot become a statement again.
var (
	errTruncated = errors.New("its digest text is longer than max_digest_length and was truncated")
	errLiteral   = errors.New("its digest text has a literal")
)

const repeated = "/* , ... */"

// lex splits a digest text. A text that was cut off, or that has a literal, is an error.
func lex(text string) ([]lexeme, error) {
	var all []lexeme
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c == '`':
			id, n, ok := quoted(text[i:])
			if !ok {
				return nil, errTruncated
			}
			all = append(all, lexeme{name, id})
			i += n
		case strings.HasPrefix(text[i:], hintBegin):
			n := strings.Index(text[i:], "*/")
			if n < 0 {
				return nil, errTruncated
			}
			all = append(all, lexeme{hint, text[i : i+n+2]})
			i += n + 2
		case strings.HasPrefix(text[i:], repeated):
			all = append(all, lexeme{rows, repeated})
			i += len(repeated)
		case strings.HasPrefix(text[i:], "..."):
			all = append(all, lexeme{more, "..."})
			i += 3
		case c == '?':
			all = append(all, lexeme{param, "?"})
			i++
		case c == '\'' || c == '"' || c >= '0' && c <= '9':
			return nil, errLiteral
		case isLetter(c):
			n := 1
			for i+n < len(text) && (isLetter(text[i+n]) || text[i+n] >= '0' && text[i+n] <= '9') {
				n++
			}
			all = append(all, lexeme{word, strings.ToUpper(text[i : i+n])})
			i += n
		default:
			n := operator(text[i:])
			all = append(all, lexeme{symbol, text[i : i+n]})
			i += n
		}
	}
	if truncated(all) {
		return nil, errTruncated
	}
	return all, nil
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

// quoted is the identifier at the beginning of a text, and the length of its quoted form.
func quoted(text string) (id string, n int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] != '`' {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == '`' {
			b.WriteByte('`')
			i++
			continue
		}
		return b.String(), i + 1, true
	}
	return "", 0, false
}

// operators of more than one character, the longest first.
var operators = []string{"<=>", "->>", "->", "<=", ">=", "<>", "!=", ":=", "||", "&&", "<<", ">>", "@@"}

func operator(text string) int {
	for _, o := range operators {
		if strings.HasPrefix(text, o) {
			return len(o)
		}
	}
	return 1
}

// truncated says that a text ends with the dots of one that was too long: those of a list
// follow a comma, and those of a row are within parentheses.
func truncated(all []lexeme) bool {
	n := len(all)
	return n > 0 && all[n-1].part == more && (n < 2 || !all[n-2].is(","))
}

// spell writes lexemes as a statement. There is no blank between a name and a parenthesis:
// the server would take the name of a function for that of a column (MySQL Reference Manual,
// "Function Name Parsing and Resolution").
func spell(all []lexeme) string {
	var b strings.Builder
	for i, l := range all {
		if i > 0 && spaced(all[i-1], l) {
			b.WriteByte(' ')
		}
		if l.part == name {
			b.WriteString(mysqld.QuoteName(l.text))
			continue
		}
		b.WriteString(l.text)
	}
	return b.String()
}

func spaced(before, l lexeme) bool {
	switch {
	case l.is(",", ")", ".", ";") || before.is("(", ".", "@", "@@"):
		return false
	case l.is("("):
		return !(before.part == word && !beforeParenthesis(before.text))
	}
	return true
}

// beforeParenthesis are keywords that are not functions.
func beforeParenthesis(keyword string) bool {
	return slices.Contains([]string{"VALUES", "VALUE", "IN", "AND", "OR", "NOT", "FROM", "WHERE", "ON", "SELECT", "JOIN", "EXISTS", "BY", "HAVING", "AS", "USING", "UNION", "ALL", "ANY"}, keyword)
}

// restore finds names among the words. The server quotes an identifier in a digest unless it
// is a keyword that is not reserved: NAME, HISTORY, STATUS. Those are in capital letters there.
// names has the names of tables and columns by their capital letters.
func restore(in []lexeme, names map[string]string) []lexeme {
	for i, l := range in {
		id, known := names[l.text]
		if l.part != word || !known || i == 0 || !beforeName(in[i-1]) {
			continue
		}
		if i+1 < len(in) && in[i+1].is("(") && !in[i-1].is("INTO") {
			continue // a function
		}
		in[i] = lexeme{name, id}
	}
	return in
}

func beforeName(l lexeme) bool {
	return l.part == symbol && !l.is(")", "@", "@@") ||
		l.is("SELECT", "WHERE", "AND", "OR", "NOT", "ON", "BY", "SET", "FROM", "JOIN", "INTO", "UPDATE", "TABLE", "DISTINCTROW", "DISTINCT", "HAVING", "CASE", "WHEN", "THEN", "ELSE")
}
