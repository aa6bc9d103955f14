package compare

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tarebench/tare/internal/record"
)

// What bounds the search for a sentence: a record can come from anywhere. tare's own reasons
// have nine sentences within each other at most: of a member whose start, at a server that
// levels share, ended with a log, and that could not be cleaned up.
const (
	longestReason = 16 << 10
	deepestReason = 12
	mostLines     = 8
	mostNodes     = 64
)

// Ended is what a record says of how a trial ended, of what happened to a member, or of why a
// fact is unknown, as the sentence of tare's own that it is; nil where another program said it,
// or another version of tare. Its English is the text.
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
	if r, ok := endedInLines(text, deep); ok {
		return r, true
	}
	for _, p := range sentencePatterns() {
		if !strings.HasPrefix(text, p.begins) {
			continue
		}
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

// endedInLines are errors that were joined, each in a line. Where one line is no sentence, the
// lines may be another program's, which a sentence quotes.
func endedInLines(text string, deep int) (all Reason, ok bool) {
	lines := strings.SplitN(text, "\n", mostLines+1)
	if len(lines) < 2 || len(lines) > mostLines {
		return Reason{}, false
	}
	for i, line := range slices.Backward(lines) {
		r, ok := ended(line, deep-1)
		switch {
		case !ok:
			return Reason{}, false
		case i == len(lines)-1:
			all = r
		default:
			all = reason("ended-lines").part("first", r).part("rest", all)
		}
	}
	return all, true
}

// argument is a sentence within the sentence, or a name.
func (r Reason) argument(name, value string, deep int) Reason {
	if name == "nodes" {
		if all := nodesIn(value, deep-1); len(all) > 0 {
			return r.part(name, all...)
		}
	}
	if slices.Contains(sentenceSlots(), name) {
		if within, ok := ended(value, deep-1); ok {
			return r.part(name, within)
		}
	}
	return r.name(name, value)
}

// sentenceSlots are the arguments that can be sentences themselves.
func sentenceSlots() []string {
	return []string{"why", "first", "state", "account", "warnings", "next"}
}

// nodesIn are clauses, each with a node's name and a sentence, which can have a semicolon
// itself; none where one is something else.
func nodesIn(text string, deep int) (all []Reason) {
	if r, ok := ended(text, deep); ok {
		return []Reason{r}
	}
	const between = "; "
	clauses := strings.SplitN(text, between, mostNodes+1)
	if len(clauses) > mostNodes {
		return nil
	}
	for len(clauses) > 0 {
		r, ok := nodeIn(clauses[0], deep)
		used := 1
		if !ok && len(clauses) > 1 {
			r, ok = nodeIn(clauses[0]+between+clauses[1], deep)
			used = 2
		}
		if !ok {
			return nil
		}
		all, clauses = append(all, r), clauses[used:]
	}
	return all
}

// nodeIn is record.OfNode.
func nodeIn(clause string, deep int) (Reason, bool) {
	name, said, _ := strings.Cut(clause, ": ")
	why, ok := ended(said, deep-1)
	return reason("ended-of-node").name("node", name).part("why", why), ok
}

type sentencePattern struct {
	code    string
	begins  string // before the first argument: it is compared first, because patterns are slow
	slots   []string
	pattern *regexp.Regexp
}

var sentencePatterns = sync.OnceValue(func() (all []sentencePattern) {
	for _, s := range record.Sentences() {
		pattern := regexp.QuoteMeta(string(s.Sentence))
		for _, name := range s.Slots() {
			pattern = strings.Replace(pattern, regexp.QuoteMeta("{"+name+"}"), "("+valueOf(name)+")", 1)
		}
		begins, _, _ := strings.Cut(string(s.Sentence), "{")
		all = append(all, sentencePattern{"ended-" + s.Code, begins, s.Slots(), regexp.MustCompile("^" + pattern + "$")})
	}
	return all
})

// valueOf is what an argument can be: a number with its unit, an amount of CPU or memory, an
// entry of a ledger, a path, words of another program in several lines, or a name.
func valueOf(slot string) string {
	switch slot {
	case "n", "status", "signal", "seconds", "time", "rate", "primary", "client", "balance", "entries", "size":
		return `[-+0-9][-+0-9.a-zµ]*`
	case "cpu", "memory", "taken", "used", "most", "largest":
		return `[0-9A-Za-z.]+`
	case "entry":
		return `[0-9]+#[0-9]+`
	case "path":
		return `/.*?`
	case "why", "first", "text", "log", "how", "warnings", "nodes":
		return `(?s:.+?)`
	}
	return `.+?`
}
