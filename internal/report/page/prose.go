package page

import (
	"html/template"
	"strings"

	"github.com/tarebench/tare/internal/report/safe"
)

// Prose is a text of the language files for a page: a command that stands between backticks is code. The script does the
// same where it changes the language (web/src/words.ts).
func Prose(text string) template.HTML {
	var b strings.Builder
	for i, part := range safe.Commands(text) {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}
