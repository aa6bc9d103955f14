package report

import (
	"iter"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Explained is what the counters of a run say of one arm at one level of the load.
type Explained struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	// Budget is where an average transaction spends its time: the transaction first,
	// then its parts; empty where the record does not tell.
	Budget []Spent `json:"budget"`
	// Untimed is the key of why there is no budget, "" where there is one. Explain sets it; the
	// document does not have it.
	Untimed string `json:"-"`
	// Slowest is where the slowest transactions spend their time; left out where the
	// load engine does not tell, or of too few.
	Slowest  *Slowest  `json:"slowest,omitempty"`
	Findings []Finding `json:"findings"`
}

// Spent is a transaction's time in one place, in milliseconds.
type Spent struct {
	Name         string `json:"name"`
	Milliseconds Number `json:"ms"`
	// Change is to the baseline, null for the baseline itself; Interval is its 95 %
	// interval over the rounds, nil where there is none.
	Change   Number     `json:"change_ms"`
	Interval *[2]Number `json:"interval_ms"`
	Rounds   int        `json:"rounds"` // that both have; 0 for the baseline
}

// Finding is what one rule makes of the counters.
type Finding struct {
	Rule  string `json:"rule"`
	Title string `json:"title"`
	// State is how far the run carries it: a diagnose.State, or "ruled out" or "unknown".
	State string `json:"state"`
	Says  string `json:"says"`
	// Phrases are what Says is made of, for views in other languages.
	Phrases []diagnose.Phrase `json:"phrases,omitempty"`
	Fix     string            `json:"fix"`
	// FixPhrase is Fix for views in other languages; nil where the record has none.
	FixPhrase *diagnose.Phrase `json:"fix_phrase,omitempty"`
	// Change is a merge patch (RFC 7386) of the arm's settings, as YAML, that would
	// show it; "" where no arm can.
	Change string `json:"change"`
	// Counters are the metrics of Probes that show the condition over time; left out
	// where none does.
	Counters []string `json:"counters,omitempty"`
	// Share is an estimate by the budget, nil where it gives none.
	Share *diagnose.Share `json:"share"`
	// Recovered is what proves the cause: throughput comes back in an arm without the condition.
	Recovered *Recovered `json:"recovered,omitempty"`
}

// Recovered is a change of throughput in %, from the arm with a condition to an arm without it.
type Recovered struct {
	Arm string `json:"arm"`
	Change95
}

// Cause is a finding that the counters of a run show.
type Cause struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Rule    string `json:"rule"`
	Title   string `json:"title"`
	State   string `json:"state"` // a diagnose.State
	// Sentence says it.
	Sentence string `json:"sentence"`
}

// Explain says of every arm where its time goes and what the rules make of its
// counters; nothing while the run is sealed, because a cause seen early invites
// stopping when it looks right. Arms of which nothing was read are left out.
func Explain(run *record.Run, res *compare.Result) []Explained {
	if res.Sealed {
		return []Explained{}
	}
	all := explained(res, diagnose.Run(run, res, diagnose.Rules()))
	for i := range all {
		for j := range res.Arms {
			if arm := &res.Arms[j]; text(arm.Name) == all[i].Arm && arm.Threads == all[i].Threads && arm.Budget == nil {
				all[i].Untimed = untimed(arm)
			}
		}
	}
	return all
}

// explain is Explain for the document, with the remedies that the run has measured.
func (doc *Document) explain(run *record.Run, res *compare.Result) {
	doc.Explained = []Explained{}
	if res.Sealed {
		return
	}
	findings := diagnose.Run(run, res, diagnose.Rules())
	doc.Explained = explained(res, findings)
	doc.setAnswers(run, res, findings)
}

func explained(res *compare.Result, findings []diagnose.Finding) []Explained {
	all := []Explained{}
	for i := range res.Arms {
		arm := &res.Arms[i]
		e := Explained{Arm: text(arm.Name), Threads: arm.Threads, Budget: budgetOf(arm.Budget), Slowest: slowestOf(arm.Slowest), Findings: []Finding{}}
		decided := false
		for _, f := range findings {
			if f.Subject == arm.Name && f.Threads == arm.Threads {
				decided = decided || f.Verdict != diagnose.Unknown
				e.Findings = append(e.Findings, FindingOf(f))
			}
		}
		if len(e.Budget) > 0 || e.Slowest != nil || decided {
			all = append(all, e)
		}
	}
	return all
}

// untimed is why the time of an arm's transactions is not divided: no trial has their latency, no probe read the
// server's threads, or the names of its threads do not tell which serve sessions.
func untimed(arm *compare.Arm) string {
	timed := slices.ContainsFunc(arm.Trials, func(t *record.Trial) bool {
		return t.Window != nil && t.Window.Latency != nil && t.Window.Latency.Mean > 0
	})
	_, session := arm.Counter(keys.ServerSessionRunNS)
	_, background := arm.Counter(keys.ServerBackgroundRunNS)
	switch {
	case !timed:
		return "explain.no-budget.latency"
	case !session && !background:
		return "explain.no-budget.probes"
	}
	return "explain.no-budget.threads"
}

// FindingOf is what a rule found, as reports have it.
func FindingOf(f diagnose.Finding) Finding {
	shown := Finding{
		Rule: f.Rule, Title: text(f.Title), State: string(f.Verdict), Says: text(f.Says), Phrases: f.Phrases, Fix: text(f.Fix), Change: text(f.Change), Counters: f.Counters, Share: f.Share,
	}
	if f.State != "" {
		shown.State = string(f.State)
	}
	if r := f.Recovered; r != nil {
		shown.Recovered = &Recovered{text(r.Arm), *changeOf(&r.Change)}
	}
	if f.Fix != "" {
		shown.FixPhrase = &f.FixPhrase
	}
	return shown
}

func budgetOf(b *compare.Budget) []Spent {
	all := []Spent{}
	if b == nil {
		return all
	}
	for _, p := range append([]compare.Spent{b.Mean}, b.Parts...) {
		s := Spent{Name: p.Name, Milliseconds: Number(p.Milliseconds), Change: Number(p.Change), Rounds: p.Rounds}
		if p.Interval != nil && !math.IsNaN(p.Change) {
			s.Interval = &[2]Number{Number(p.Interval.Lo), Number(p.Interval.Hi)}
		}
		all = append(all, s)
	}
	return all
}

// Shows says that the counters show the condition.
func (f Finding) Shows() bool {
	return slices.Contains([]string{string(diagnose.Present), string(diagnose.Explains), string(diagnose.Proved)}, f.State)
}

// Found yields the findings that the counters show, or, of another verdict, those that have it,
// each with what it was found in.
func (doc *Document) Found(verdict diagnose.Verdict) iter.Seq2[*Explained, Finding] {
	return func(yield func(*Explained, Finding) bool) {
		for i := range doc.Explained {
			e := &doc.Explained[i]
			for _, f := range e.Findings {
				if (f.State == string(verdict) || verdict == diagnose.Confirmed && f.Shows()) && !yield(e, f) {
					return
				}
			}
		}
	}
}

// writeCauses makes the list of causes with their sentences.
func (doc *Document) writeCauses() {
	doc.Causes = nil
	for e, f := range doc.Found(diagnose.Confirmed) {
		doc.Causes = append(doc.Causes, Cause{Arm: e.Arm, Threads: e.Threads, Rule: f.Rule, Title: f.Title, State: f.State, Sentence: doc.CauseSentence(e, f)})
	}
}

// CauseSentence is what a run says of a cause, by its state.
func (doc *Document) CauseSentence(e *Explained, f Finding) string {
	slots := []string{"arm", safe.Name(doc.Called(e.Arm, e.Threads)), "cause", doc.RuleName(f), "rule", f.Rule}
	percent := func(v float64) string { return language.Decimal(100*v, 0) }
	switch {
	case f.Recovered != nil:
		slots = append(slots, doc.recovered(e, f)...)
	case f.Share != nil:
		slots = append(slots, "share", percent(f.Share.Ratio), "lo", percent(f.Share.Lo), "hi", percent(f.Share.Hi))
	}
	return doc.Say("explained."+f.State, slots...)
}

// Recovers says what an arm without a cause recovers; "" where no arm proves it.
func (doc *Document) Recovers(e *Explained, f Finding) string {
	if f.Recovered == nil {
		return ""
	}
	return doc.Say("explained.recovers", doc.recovered(e, f)...)
}

func (doc *Document) recovered(e *Explained, f Finding) []string {
	gain := Cost{Mid: float64(f.Recovered.EffectPercent), Lo: float64(f.Recovered.Interval[0]), Hi: float64(f.Recovered.Interval[1])}
	return []string{"without", safe.Name(doc.Called(f.Recovered.Arm, e.Threads)), "gain", doc.ranged(gain)}
}

// HasReadings says that the page has readings of a counter that shows f.
func (doc *Document) HasReadings(e *Explained, f Finding) bool {
	return f.Shows() && slices.ContainsFunc(doc.Probes.Series, func(s ProbeSeries) bool {
		return s.Arm == e.Arm && s.Threads == e.Threads && slices.Contains(f.Counters, s.Metric)
	})
}

// RuleName is the name of a finding's rule in the document's language.
func (doc *Document) RuleName(f Finding) string {
	if r, ok := diagnose.Find(f.Rule); ok && doc.Language().Tag != language.English().Tag {
		return r.In(doc.Language().Tag).Title
	}
	return safe.Name(f.Title)
}

// Says is what a finding says in the document's language.
func (doc *Document) Says(f Finding) string {
	if len(f.Phrases) > 0 && doc.Language().Tag != language.English().Tag {
		return diagnose.Say(doc.endedIn(f.Phrases), doc.Language().Tag)
	}
	return f.Says
}

// endedIn are phrases with the reasons that a record gives, such as of a probe that did not read,
// in the language of the view.
func (doc *Document) endedIn(all []diagnose.Phrase) []diagnose.Phrase {
	all = slices.Clone(all)
	for i := range all {
		all[i].Value, all[i].Arguments = doc.Ended(all[i].Value), doc.endedIn(all[i].Arguments)
	}
	return all
}

// FixOf is what to do about a finding, in the document's language. A document of an earlier
// version has its fix in English only: another language has the rule's, which is the same for
// all arms.
func (doc *Document) FixOf(f Finding) string {
	if f.Fix == "" || doc.Language().Tag == language.English().Tag {
		return f.Fix
	}
	if f.FixPhrase != nil {
		return f.FixPhrase.In(doc.Language().Tag)
	}
	if r, ok := diagnose.Find(f.Rule); ok {
		return r.In(doc.Language().Tag).Fix
	}
	return f.Fix
}
