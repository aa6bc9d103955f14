package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

func (doc *Document) scope() string {
	if doc.Run.Imported {
		return doc.Say("scope.imported")
	}
	slots := []string{"where", doc.machines(), "workload", doc.Run.Workload, "threads", doc.threads(), "rounds", doc.Count(doc.Run.RoundsComplete, "complete round")}
	if s := doc.Run.MeasureSeconds; s.Known() && doc.Run.RoundsComplete > 0 && len(doc.Arms) > 1 && doc.Run.Find == nil { // a search has many steps before its window
		return doc.Say("scope.turns", append(slots, "seconds", Trimmed(s))...) + doc.servers() + doc.unwatched()
	}
	return doc.Say("scope", slots...) + doc.servers() + doc.unwatched()
}

// servers says of which product and release the arms' servers are: once where all are alike, else with the arms; ""
// where it is not known.
func (doc *Document) servers() string {
	var order, arms []string
	having := map[string][]string{}
	for i := range doc.Arms {
		a := &doc.Arms[i]
		if slices.Contains(arms, a.Name) {
			continue
		}
		arms = append(arms, a.Name)
		of := doc.Language().List("list", a.Servers)
		if having[of] == nil {
			order = append(order, of)
		}
		having[of] = append(having[of], a.Name)
	}
	if len(order) == 1 && order[0] != "" {
		return doc.Say("join.sentences") + doc.Say("scope.server", "server", order[0])
	}
	var parts []string
	for _, of := range order {
		if of != "" {
			parts = append(parts, doc.Say("text.value-in", "value", of, "arms", doc.Language().List("list", having[of])))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return doc.Say("join.sentences") + doc.Say("scope.servers", "servers", doc.Language().List("list", parts))
}

// threads are the levels of the load in words.
func (doc *Document) threads() string {
	levels := doc.Levels()
	if len(levels) == 1 {
		return doc.Count(levels[0], "thread")
	}
	var all []string
	for _, n := range levels {
		all = append(all, strconv.Itoa(n))
	}
	return doc.Say("threads.levels", "levels", doc.Language().Enumerate(all))
}

// Details are what stands behind the scope: what the load generator took, how the servers shared the time and why,
// what so many rounds cannot show, which intervals hold together, and the plan. Views have them after everything else.
func (doc *Document) Details() (all []string) {
	if doc.Run.Imported {
		return appendSaid(nil, doc.Confidence)
	}
	all = appendSaid(all, doc.generatorSentence(), doc.protocolSentence(), doc.limitsSentence(), doc.Confidence)
	if doc.Run.PlanHash != "" {
		all = append(all, doc.Say("scope.plan", "hash", short(doc.Run.PlanHash)))
	}
	return all
}

// appendSaid appends the sentences that are not empty.
func appendSaid(all []string, sentences ...string) []string {
	for _, s := range sentences {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// generatorSentence says what the load generator took of the machine that it shares with the
// servers, from the arm with the least to that with the most; "" where it shares none.
func (doc *Document) generatorSentence() string {
	var cpu, waited []float64
	for _, a := range doc.Arms {
		if g := a.Generator; g != nil {
			cpu, waited = append(cpu, float64(g.CPU)), append(waited, float64(g.Waited))
		}
	}
	if len(cpu) == 0 {
		return ""
	}
	between := func(of []float64) string {
		lo, hi := language.Decimal(100*slices.Min(of), 0), language.Decimal(100*slices.Max(of), 0)
		if lo == hi {
			return lo
		}
		return doc.Language().Between(lo, hi)
	}
	return doc.Say("scope.generator", "cpu", between(cpu), "waited", between(waited))
}

func (doc *Document) setting(key string) string {
	for _, s := range doc.Environment {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Meta is the run in a line: workload, threads and rounds. What else identifies a run is among its Details.
func Meta(doc *Document) []string {
	var m []string
	if doc.Run.Imported {
		m = append(m, doc.Say("meta.imported", "format", safe.Name(doc.Run.Engine)))
	} else {
		m = append(m, safe.Name(doc.Run.Workload))
		m = append(m, doc.threads(),
			doc.Say("meta.rounds", "n", fmt.Sprint(doc.Run.RoundsComplete), "of", fmt.Sprint(doc.Run.RoundsPlanned)))
		if n := doc.SetAside(); n > 0 {
			m = append(m, doc.Count(n, "round again"))
		}
	}
	return m
}

func short(hash string) string { return safe.Name(hash[:min(8, len(hash))]) }

// Named puts the run's directory into a command. A page leaves DIR: it is read elsewhere.
func (doc *Document) Named(command string) string {
	dir := doc.dir
	if dir == "" {
		return command
	}
	return strings.ReplaceAll(command, "DIR", safe.ShellWord(dir))
}

// unwatched says that a busy machine would not have been noticed.
func (doc *Document) unwatched() string {
	if !doc.Run.ServersUnwatched {
		return ""
	}
	return doc.Say("join.sentences") + doc.Unwatched()
}

// Unwatched says that the servers' machine was not watched, and why.
func (doc *Document) Unwatched() string {
	if doc.Run.UnwatchedWhy == nil {
		return doc.Say("calendar.unwatched")
	}
	return doc.Say("calendar.unwatched.why", "why", doc.Language().Reason(*doc.Run.UnwatchedWhy))
}
