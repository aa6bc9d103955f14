package mysqld

// The lines of a server's error log in which it says why it ended.

import (
	"strings"
)

// Of a log, so many lines are an answer, each cut after so many bytes: the first errors are the causes of those that follow.
const (
	errorLines   = 3
	errorLineOf  = 400
	errorMark    = "[ERROR]"
	abortingLine = "Aborting"
)

// ErrorLines are the first [ERROR] lines of a server's log in one line, without their times; "" where it has none. "Aborting",
// with which a server closes, says nothing.
func ErrorLines(log string) string {
	var said []string
	for line := range strings.Lines(log) {
		at := strings.Index(line, errorMark)
		if at < 0 {
			continue
		}
		line = strings.TrimSpace(line[at:])
		if strings.HasSuffix(line, "] "+abortingLine) || line == errorMark+" "+abortingLine {
			continue
		}
		if len(line) > errorLineOf {
			line = strings.ToValidUTF8(line[:errorLineOf], "") + "..."
		}
		if said = append(said, line); len(said) == errorLines {
			break
		}
	}
	return strings.Join(said, " | ")
}
