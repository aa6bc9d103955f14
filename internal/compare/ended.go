package compare

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tarebench/tare/internal/record"
)

// What bounds the search for a sentence: a record can come from anywhere. tare's own reasons
// have seven sentences within each other at most: of a member whose start, at a server that
// levels share, ended with a log, and that could not be cleaned up.
const (
	longestReason = 16 << 10
	deepestReason = 8
)

// Ended is what a record says of how a trial ended, as the sentence of tare's own that it is;
// nil where another program said it, or another version of tare. Its English is the text.
func Ended(text string) *Reason {
	if r, ok := ended(text, deepestReason); ok {
		return &r
	}
	return nil
}

func ended(text string, deep int) (Reason, bool) {
	if text == "" || len(text) > longestReason || deep == 0 {
		return Reason{}, false
	}
	for _, p := range sentencePatterns() {
		if values := p.pattern.FindStringSubmatch(text); values != nil {
			r := reason(p.code)
			for i, name := range p.slots {
				r = r.argument(name, values[i+1], deep)
			}
			return r, true
		}
	}
	return Reason{}, false
}

// argument is a sentence within the sentence, or a name.
func (r Reason) argument(name, value string, deep int) Reason {
	if slices.Contains(sentenceSlots(), name) {
		if within, ok := ended(value, deep-1); ok {
			return r.part(name, within)
		}
	}
	return r.name(name, value)
}

// sentenceSlots are the arguments that can be sentences themselves.
func sentenceSlots() []string { return []string{"why", "first", "state"} }

type sentencePattern struct {
	code    string
	slots   []string
	pattern *regexp.Regexp
}

var sentencePatterns = sync.OnceValue(func() (all []sentencePattern) {
	for _, s := range record.Sentences() {
		pattern := regexp.QuoteMeta(string(s.Sentence))
		for _, name := range s.Slots() {
			pattern = strings.Replace(pattern, regexp.QuoteMeta("{"+name+"}"), "("+valueOf(name)+")", 1)
		}
		all = append(all, sentencePattern{"ended-" + s.Code, s.Slots(), regexp.MustCompile("^" + pattern + "$")})
	}
	return all
})

// valueOf is what an argument can be: a number with its unit, words of another program in
// several lines, or a name.
func valueOf(slot string) string {
	switch slot {
	case "n", "status", "signal", "seconds", "time", "rate":
		return `[-+0-9][-+0-9.a-zµ]*`
	case "why", "first", "text", "log", "how":
		return `(?s:.+?)`
	}
	return `.+?`
}
