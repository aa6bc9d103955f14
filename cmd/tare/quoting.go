package main

import (
	"io"

	"github.com/tarebench/tare/internal/report/safe"
)

// quoting writes texts for a terminal: their commands, between backticks in the language files, stand between quotation
// marks. Each Write has whole sentences.
type quoting struct{ to io.Writer }

func (q quoting) Write(b []byte) (int, error) {
	if _, err := io.WriteString(q.to, safe.Quoted(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
