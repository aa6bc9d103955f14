package backup

// This file splits the text of a dump into statements, as the mysql client does: at the
// delimiter, outside of quotes and comments (MySQL Reference Manual, "mysql Client Commands").

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// longestStatement is the default of max_allowed_packet, above which the server would refuse
// the statement.
const longestStatement = 64 << 20

var (
	errLong     = errors.New("the statement is longer than 64 MiB")
	errUnclosed = errors.New("the file ends within a quoted text or a comment: it is not complete")
)

// splitter reads statements one by one.
type splitter struct {
	in        *bufio.Reader
	delimiter string
	line      int // of the next byte
	text      []byte
	// content says that text has more than blanks and comments.
	content bool
}

func newSplitter(r io.Reader) *splitter {
	return &splitter{in: bufio.NewReaderSize(r, 1<<16), delimiter: ";", line: 1}
}

// next is the next statement and the line on which it begins; io.EOF after the last.
func (s *splitter) next() (statement string, line int, err error) {
	s.text, s.content = s.text[:0], false
	for {
		c, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			if s.content {
				return trim(s.text), line, nil
			}
			return "", s.line, io.EOF
		}
		if err != nil {
			return "", s.line, err
		}
		if !s.content && (c == 'd' || c == 'D') && s.delimiterLine(c) {
			s.text = s.text[:0]
			continue
		}
		began := s.line
		if err := s.take(c); err != nil {
			return "", began, err
		}
		if s.content && line == 0 {
			line = began
		}
		if c == s.delimiter[len(s.delimiter)-1] && bytes.HasSuffix(s.text, []byte(s.delimiter)) {
			s.text = s.text[:len(s.text)-len(s.delimiter)]
			if statement := trim(s.text); statement != "" && s.content {
				return statement, line, nil
			}
			s.text, s.content, line = s.text[:0], false, 0
		}
		if len(s.text) > longestStatement {
			return "", line, errLong
		}
	}
}

// trim removes the characters that take does not count as content. Not strings.TrimSpace: the
// server does not take a no-break space for a blank, and refuses the statement with its line.
func trim(text []byte) string {
	return strings.TrimFunc(string(text), func(r rune) bool { return r <= ' ' })
}

// delimiterLine reads DELIMITER and its argument to the end of the line.
func (s *splitter) delimiterLine(first byte) bool {
	const rest = len("ELIMITER ")
	head, err := s.in.Peek(rest)
	if err != nil || !strings.EqualFold(string(first)+string(head), "DELIMITER ") {
		return false
	}
	line, _ := s.in.ReadString('\n')
	if strings.HasSuffix(line, "\n") {
		s.line++
	}
	if fields := strings.Fields(line); len(fields) > 1 && len(fields[1]) <= 16 {
		s.delimiter = fields[1]
	}
	return true
}

// take adds a byte, and what belongs to it: the rest of a quoted text or a comment.
func (s *splitter) take(c byte) error {
	s.add(c)
	next, _ := s.in.Peek(2)
	switch {
	case c == '\'' || c == '"' || c == '`':
		s.content = true
		return s.quoted(c)
	case c == '#', c == '-' && len(next) > 0 && next[0] == '-' && (len(next) == 1 || next[1] <= ' '):
		return s.until("\n", true)
	case c == '/' && len(next) > 0 && next[0] == '*':
		s.add('*')
		_, _ = s.in.Discard(1)
		// What is between /*! and */ is executed.
		s.content = s.content || len(next) > 1 && (next[1] == '!' || next[1] == '+')
		return s.until("*/", false)
	case c > ' ' && !strings.HasPrefix(s.delimiter, string(rune(c))):
		s.content = true
	}
	return nil
}

func (s *splitter) add(c byte) {
	s.text = append(s.text, c)
	if c == '\n' {
		s.line++
	}
}

// quoted reads to the closing quote. A doubled quote closes and opens again.
func (s *splitter) quoted(quote byte) error {
	for escaped := false; ; {
		c, err := s.in.ReadByte()
		if err != nil {
			return errors.Join(errUnclosed, notEnd(err))
		}
		s.add(c)
		if len(s.text) > longestStatement {
			return errLong
		}
		switch {
		case escaped:
			escaped = false
		case c == '\\' && quote != '`':
			escaped = true
		case c == quote:
			return nil
		}
	}
}

// until reads to the end of a comment. atEnd says that the end of the file ends it too.
func (s *splitter) until(end string, atEnd bool) error {
	from := len(s.text)
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			if atEnd && errors.Is(err, io.EOF) {
				return nil
			}
			return errors.Join(errUnclosed, notEnd(err))
		}
		s.add(c)
		if bytes.HasSuffix(s.text[from:], []byte(end)) {
			return nil
		}
		if len(s.text) > longestStatement {
			return errLong
		}
	}
}

func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
