package capture

// This file says which schema a statement of a log chooses, and which statements are a monitor's.

import (
	"regexp"
	"strings"
)

// monitors says that a statement is a monitor's: it reads the server's own tables. A slow log takes the schema of a
// connection without one for that of the entry before.
func monitors(text string) bool {
	return ofServer.MatchString(text)
}

// ofServer are tables of the server itself: RDS reads and writes its heartbeat in mysql.
var ofServer = regexp.MustCompile("(?i)`(?:performance_schema|information_schema|mysql|sys)`\\.")

// chosen is the schema that a normalised USE statement chooses.
func chosen(text string) (schema string, ok bool) {
	if !strings.HasPrefix(text, "USE ") {
		return "", false
	}
	in, err := lex(text)
	if err != nil || len(in) != 2 || in[1].part != name {
		return "", false
	}
	return in[1].text, true
}
