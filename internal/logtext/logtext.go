// Package logtext reads the text of logs that other programs wrote: from a file or standard input, compressed or in
// UTF-16, and behind the prefixes of log collectors.
//
// [Open] opens it, [Decode] gives plain UTF-8, [Lines] splits it in bounded memory, and
// [WithoutPrefix] and [Prefix] take off what a collector put before each line.
package logtext

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Standard is the path of standard input.
const Standard = "-"

// Open opens a file, or takes standard input for the path "-".
func Open(path string, standard io.Reader) (io.ReadCloser, error) {
	if path == Standard {
		return io.NopCloser(standard), nil
	}
	return os.Open(path) //nolint:wrapcheck // its error names the path
}

// Name is what a path is called in messages.
func Name(path string) string {
	if path == Standard {
		return "standard input"
	}
	return path
}

// Lines are those of a text, one after another. Memory is bounded whatever the text has.
type Lines struct {
	in      *bufio.Reader
	longest int
	ended   bool
	// Number is that of the line that was read last, from 1.
	Number int
	// Whole says that the line ended with a line feed: the end of a text may have been cut off
	// in the middle of a number.
	Whole bool
	// Cut says that the line was longer than the bound, and that its end is missing.
	Cut bool
}

// NewLines reads lines of up to longest bytes.
func NewLines(r io.Reader, longest int) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, 64<<10), longest: longest}
}

// Next is the next line without its end; io.EOF after the last.
func (l *Lines) Next() (string, error) {
	if l.ended {
		return "", io.EOF
	}
	var b strings.Builder
	read := false
	for l.Cut, l.Whole = false, false; ; {
		part, err := l.in.ReadSlice('\n')
		read = read || len(part) > 0
		room := l.longest - b.Len()
		l.Cut = l.Cut || len(part) > room+len("\r\n")
		b.Write(part[:min(len(part), max(room, 0))])
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && !read:
			l.ended = true
			return "", io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			l.ended = true
			return "", fmt.Errorf("read line %d: %w", l.Number+1, err)
		}
		l.ended, l.Whole = err != nil, err == nil
		l.Number++
		return strings.TrimRight(b.String(), "\r\n"), nil
	}
}
