package capture

// This file follows a statement over its lines to know whether a line begins within a quoted text or a comment: a line
// there that looks like the heading of the next entry is a part of the statement.

// unclosed is what is open at a place of a statement: one of ' " ` for a quoted text, * for a comment, 0 for nothing.
type unclosed byte

const inComment unclosed = '*'

// after is what is open behind a line.
func (o unclosed) after(line string) unclosed {
	for i := 0; i < len(line); i++ {
		c := line[i]
		next := byte(0)
		if i+1 < len(line) {
			next = line[i+1]
		}
		switch {
		case o == inComment:
			if c == '*' && next == '/' {
				o, i = 0, i+1
			}
		case o != 0 && c == '\\' && o != '`':
			i++
		case o != 0:
			if c == byte(o) { // one that is doubled closes and opens again
				o = 0
			}
		case c == '\'' || c == '"' || c == '`':
			o = unclosed(c)
		case c == '/' && next == '*':
			o, i = inComment, i+1
		case c == '#', c == '-' && next == '-' && (i+2 == len(line) || line[i+2] <= ' '): // to the end of the line
			return o
		}
	}
	return o
}
