// Package diagnose explains why a database loses performance and how to fix it: one rule
// per file.
//
// A rule is a value: text, what it needs, and a check. The engine, `tare explain`,
// the pages in docs/rules and SARIF all read the same value.
package diagnose

import (
	"fmt"

	"github.com/tarebench/tare/internal/manifest"
)

// Verdict is how sure a finding is.
type Verdict string

// The verdicts. Confirmed: the file or the counters of a run show it. Hint: it
// costs in some loads or set-ups, and the files do not tell which. RuledOut: the
// counters exclude it. Unknown: a fact is missing.
const (
	Confirmed Verdict = "confirmed"
	Hint      Verdict = "hint"
	RuledOut  Verdict = "ruled out"
	Unknown   Verdict = "unknown"
)

// Severity is how much it matters when it is so.
type Severity string

// The severities, by SARIF's names. Error: the server does not start, or loses
// much throughput or data. Warning: it costs. Note: worth knowing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Rule is one cause of lost performance. It has a Check, where files show it, or a
// Run, where the counters of a run do.
type Rule struct {
	ID, Title string
	Severity  Severity
	Needs     []Need // the engine says unknown where one is missing
	What      string // what happens: the mechanism
	Impact    string // a published or measured figure; "" where there is none
	Fix       string // what to change
	Sources   []string
	// Counters are the metrics of probes that show the cause over time.
	Counters []string
	Check    func(c *Case) []Finding
	Run      func(o *Observed) []Finding
	// Written says that Run judges what is written in the pod, as Check does: of a watched server Check alone does.
	Written bool
	// Risk: what the rule finds costs data or availability, and no speed.
	Risk bool
	// CountedBy is the rule whose counters show whether what this one finds in settings matters under the present load; "" where
	// none does. A hint is not given of a watched server on which that rule is ruled out.
	CountedBy string
	// Watched says that Run judges only servers that another program loads (tare explain --live): in a run, the baseline has
	// what it would find too.
	Watched bool
}

// Finding is what a rule has to say about one place.
type Finding struct {
	Rule, Title string
	Verdict     Verdict
	Severity    Severity
	Subject     string // "Deployment mysql"; of a run the arm
	Threads     int    // of a run the level of the load
	Where       manifest.Spot
	Says        string // what is there; for Unknown, which fact is missing: Phrases in English
	Phrases     []Phrase
	Impact      string
	// ImpactPhrase is an impact that is not the rule's; empty where it is.
	ImpactPhrase Phrase
	Fix          string // what to change, with the value: FixPhrase in English
	FixPhrase    Phrase
	// Edits are certain: --fix makes them. Proposed are made when a run has shown
	// that they help.
	Edits, Proposed []manifest.Edit
	// Change is what would remove the cause, as a merge patch (RFC 7386) of an
	// arm's settings: YAML on one line. "" where no arm can show it.
	Change string
	// prescribed is what else than Change is the fix; nil where nothing is.
	prescribed *prescription
	// Counters are the rule's, where a run confirms it.
	Counters []string
	// NotMade is why --fix leaves the file as it is; Settle gives every finding without an edit one.
	NotMade Phrase
	// Follows is what a change of the file means besides, which the owner has to know.
	Follows Phrase
	// ways are judged, and then the fix is written from those that pass; nothing is the fix where none does.
	ways    []way
	nothing Phrase
	// idle says that what is there has no effect: the rule's impact is not its.
	idle bool
	// unread says that a counter is missing: the engine adds why.
	unread bool
	// ofTransactions says that a transaction is meant where the text has one, also of a server that times statements only.
	ofTransactions bool
	// Share is how much of what a transaction takes longer than the baseline's it
	// explains, by the latency budget: an estimate. nil where that cannot be said.
	Share *Share
	// State is how far a run carries the finding; "" of files, and where the counters do not
	// show it. Recovered is what proves it, nil where nothing does.
	State     State
	Recovered *Recovery
}

// ImpactIn is the impact in one of Languages.
func (f Finding) ImpactIn(language string) string {
	if !f.ImpactPhrase.empty() {
		return f.ImpactPhrase.In(language)
	}
	if r, ok := Find(f.Rule); ok && f.Impact == r.Impact {
		return r.In(language).Impact
	}
	return f.Impact
}

// Found is whether there is something to act on.
func (f Finding) Found() bool { return f.Verdict == Confirmed || f.Verdict == Hint }

// Share is a ratio with its range over the rounds.
type Share struct {
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// Case is what a rule may look at: one database and everything known around it.
type Case struct {
	DB      *manifest.Database
	Set     *manifest.Set
	Node    *manifest.Node   // nil where none was given
	Kubelet *manifest.Object // a KubeletConfiguration, nil where none was given
	// Machine is the memory in bytes of the machine that a running server is on; 0 where it is not known.
	Machine int64
	// Named is whether the user has named the server's release.
	Named bool
}

func found(v Verdict, at manifest.Spot, format string, args ...any) Finding {
	return Finding{Verdict: v, Where: at}.and(format, args...)
}

func confirmed(at manifest.Spot, format string, args ...any) Finding {
	return found(Confirmed, at, format, args...)
}

func hint(at manifest.Spot, format string, args ...any) Finding {
	return found(Hint, at, format, args...)
}

func unknown(format string, args ...any) Finding {
	return found(Unknown, manifest.Spot{}, format, args...)
}

// fix says what to change.
func (f Finding) fix(format string, args ...any) Finding {
	f.Fix, f.FixPhrase = fmt.Sprintf(format, args...), phrase(format, args...)
	return f
}

// costs gives the finding another impact than its rule's, which has those of several cases.
func (f Finding) costs(impact Phrase) Finding {
	f.Impact, f.ImpactPhrase = impact.String(), impact
	return f
}

// as gives the finding another severity than its rule's.
func (f Finding) as(s Severity) Finding {
	f.Severity = s
	return f
}

// edit is what that --fix makes, where the value stands in the file.
func (f Finding) edit(at manifest.Spot, text string) Finding {
	if !at.CanEdit() {
		f.NotMade = notMade(at)
		return f
	}
	f.Edits = append(f.Edits, manifest.Edit{At: at, Text: text})
	return f
}

// patch is what --fix makes of a mapping: values that stand there are replaced, others are written
// as its first. All of it is made, or nothing.
func (f Finding) patch(at manifest.Value, patch string) Finding {
	edits, err := at.Patch(patch)
	if err != nil {
		f.NotMade = notMade(at.Spot())
		return f
	}
	f.Edits = append(f.Edits, edits...)
	return f
}

// leave says why --fix does not make the change that the fix names, where a rule has other findings that it changes.
func (f Finding) leave(why Phrase) Finding {
	f.NotMade = why
	return f
}

// notMade is why a value cannot be replaced where it stands.
func notMade(at manifest.Spot) Phrase {
	if why := at.Fixed(); why.Format != "" {
		return ofText(why)
	}
	return term("the value is not written in the file, or is a part of another text: write it as the fix says")
}

// propose is an edit to be made once it has been measured.
func (f Finding) propose(at manifest.Spot, text string) Finding {
	if at.CanEdit() {
		f.Proposed = append(f.Proposed, manifest.Edit{At: at, Text: text})
	}
	return f
}

// change is what an arm does to show that the cause is removed.
func (f Finding) change(format string, args ...any) Finding {
	f.Change = fmt.Sprintf(format, args...)
	return f
}

// prescribes says which arms of a run have the fix, in whichever size.
func (f Finding) prescribes(p prescription) Finding {
	f.prescribed = &p
	return f
}

// option is another value of a server option: of the arm that measures it, and in
// the file. One that is not set is written below one that is, once it has been
// measured: the default may be there for a reason.
func (f Finding) option(c *Case, name, value string) Finding {
	f.Change = fmt.Sprintf("{config: {%s: %q}}", name, value)
	if o, ok := c.DB.Option(name); ok {
		return f.edit(o.Spot, value)
	}
	if e, ok := c.Set.LineBelow(c.DB.Config.Options, name+"="+value); ok {
		f.Proposed = append(f.Proposed, e)
	}
	return f
}

func list(f ...Finding) []Finding { return f }
