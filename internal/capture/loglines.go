package capture

// This file gives the lines of a log as the server wrote them: unpacked, in UTF-8, and without
// what a log collector put before them.

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/logtext"
)

// logLines are the lines of a log.
type logLines struct {
	in      *logtext.Lines
	prefix  logtext.Prefix
	wrapped bool     // each is in a JSON object of a collector
	queue   []string // lines of an object that has several
	cutOff  bool     // the archive ended before its end
	// source is where the lines come from by their prefix, named says that it is known.
	source string
	named  bool
	// cut says that the line read last is longer than what is kept.
	cut bool
}

// errSources is the error of a log in which the lines of several servers are mixed: their
// threads have the same numbers.
var errSources = errors.New("the lines come from several places")

func newLogLines(r io.Reader) (*logLines, error) {
	plain, err := logtext.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	return &logLines{in: logtext.NewLines(plain, longestLine+1)}, nil
}

// next is the next line without its end; io.EOF after the last.
func (l *logLines) next() (string, error) {
	if len(l.queue) > 0 {
		line := l.queue[0]
		l.queue = l.queue[1:]
		return line, nil
	}
	line, err := l.joined()
	if err == nil && l.wrapped && strings.Contains(line, "\n") {
		lines := strings.Split(strings.ReplaceAll(line, "\r\n", "\n"), "\n")
		line, l.queue = lines[0], lines[1:]
	}
	return line, err
}

// joined is the next line, put together of the pieces that a container runtime made of it.
func (l *logLines) joined() (string, error) {
	var whole strings.Builder
	for l.cut = false; ; {
		line, err := l.in.Next()
		switch {
		case errors.Is(err, io.EOF) && whole.Len() > 0: // the rest of a line is missing
			l.cut = true
			return whole.String(), nil
		case errors.Is(err, io.ErrUnexpectedEOF): // an archive that was cut off
			l.cutOff = true
			return "", io.EOF
		case err != nil:
			return "", err //nolint:wrapcheck // it says what was read
		}
		l.cut = l.cut || l.in.Cut
		text, partial, err := l.own(line)
		if err != nil {
			return "", err
		}
		if !partial && whole.Len() == 0 {
			return text, nil
		}
		if room := longestLine + 1 - whole.Len(); len(text) > room {
			text, l.cut = text[:max(room, 0)], true
		}
		if whole.WriteString(text); !partial {
			return whole.String(), nil
		}
	}
}

// own is the text of a line without what a collector added.
func (l *logLines) own(line string) (text string, partial bool, err error) {
	if l.wrapped {
		line, partial, _ = logtext.Unwrap(line)
	}
	before, text, ok := l.prefix.Split(logtext.WithoutColours(line))
	if !ok || before == "" {
		return text, partial, nil
	}
	if begins := slowLine(text) || generalLine.MatchString(text); begins {
		switch source := logtext.Source(before); {
		case !l.named:
			l.source, l.named = source, true
		case source != l.source:
			return "", false, fmt.Errorf("line %d: %w, %q and %q; read the log of one server at a time", l.in.Number, errSources, l.source, source)
		}
	}
	return text, partial || logtext.Partial(before), nil
}

// learn takes what is before the beginning of an entry for the prefix of all lines. It returns the
// line without it.
func (l *logLines) learn(line string, at int) string {
	l.prefix = logtext.Learn(line[:at])
	l.source, l.named = logtext.Source(line[:at]), at > 0
	return line[at:]
}
