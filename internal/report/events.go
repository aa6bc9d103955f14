package report

import "github.com/tarebench/tare/internal/compare"

// Event is what happened to a database while it was loaded, and what that cost, over the trials
// of an arm.
type Event struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Number  int    `json:"number"` // from 1, in the order of the experiment
	Kind    string `json:"kind"`   // kill, restart, pause, cutOff, slowDisk, slowLink or command
	// Member is whom it happens to, as the experiment names it: server, primary, secondary, or a number; "" for a command.
	Member string `json:"member"`
	// At and For are in seconds of the measured window; For is 0 where it lasts to the end.
	At     Number `json:"at_s"`
	For    Number `json:"for_s"`
	Trials int    `json:"trials"`
	// Lost is in % of the throughput before the first event, Without and Promoted in seconds.
	Lost      Estimate     `json:"throughput_lost_percent"`
	Without   Estimate     `json:"without_service_s"`
	Promoted  Estimate     `json:"promoted_after_s"`
	Primaries []Succession `json:"primaries"`
	Failed    string       `json:"failed"` // why it could not be carried out in a trial
	// FailoverFailed is in how many trials no other member could be promoted, WhyNot why in one.
	FailoverFailed int    `json:"failover_failed"`
	WhyNot         string `json:"failover_failed_why"`
	// Figures are what the clients saw, Parts what the longest stretch without service consisted of, and
	// Unserved is in how many trials nothing was served again: the figures are of the others. Each of these
	// was without service for AtLeast seconds or longer.
	Figures []EventFigure `json:"figures"`
	Parts   []EventPart   `json:"parts"`
	// Timeline is the throughput around the event, null where it was not counted in steps.
	Timeline *EventTimeline `json:"timeline"`
	Unserved int            `json:"unserved"`
	AtLeast  Number         `json:"unserved_at_least_s"`
	// Unrecovered is in how many of the others the throughput never was 95 % of that before the first event.
	Unrecovered int `json:"unrecovered"`
}

// EventFigure is one figure, by a name of package compare.
type EventFigure struct {
	Name string `json:"name"`
	Estimate
	// Against is the difference from the same event of the baseline, null where there is none, and where a trial of one
	// of the two has no such figure.
	Against *EventContrast `json:"against"`
}

// EventContrast is a difference over the rounds of both arms; its interval at 95 % holds for all events
// that are compared by this figure.
type EventContrast struct {
	Difference Number     `json:"difference"`
	Interval   *[2]Number `json:"interval"`
	Rounds     int        `json:"rounds"`
	Verdict    string     `json:"verdict"` // costs: higher than the baseline's; gains: lower; inconclusive
}

// EventPart is one part, by a name of package compare.
type EventPart struct {
	Name string `json:"name"`
	Estimate
}

// Estimate is a mean over trials; the interval at 95 % is null below two trials.
type Estimate struct {
	Mean     Number     `json:"mean"`
	Interval *[2]Number `json:"interval"`
	Trials   int        `json:"trials"`
}

// Succession is who was the primary before and after an event, in so many trials.
type Succession struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Trials int `json:"trials"`
}

// Ledger is whether every acknowledged write is on every member once, after the load.
type Ledger struct {
	Arm          string         `json:"arm"`
	Threads      int            `json:"threads"`
	Trials       int            `json:"trials"`
	Acknowledged int64          `json:"acknowledged"`
	Members      []LedgerMember `json:"members"`
}

// LedgerMember is one member's part. In Compared of the trials it was a member after the load;
// in Whole of them it had every acknowledged entry once.
type LedgerMember struct {
	Number     int    `json:"number"`
	Compared   int    `json:"compared"`
	Whole      int    `json:"whole"`
	Lost       int64  `json:"lost"`
	Doubled    int64  `json:"doubled"`
	NeverSent  int64  `json:"never_sent"`
	Unanswered int64  `json:"unanswered"`
	Balances   string `json:"balances"`
	Left       string `json:"left"` // why it was not compared in a trial
	Examples   string `json:"examples"`
}

// setEvents leaves the document as it is where nothing happened.
func (doc *Document) setEvents(res *compare.Result) {
	for _, e := range res.Events {
		out := Event{
			Arm: text(e.Arm), Threads: e.Threads, Number: e.Number, Kind: text(e.Kind), Member: text(e.Named), At: Number(e.At), For: Number(e.For), Trials: e.Trials,
			Lost: estimateOf(e.Lost), Without: estimateOf(e.Without), Promoted: estimateOf(e.Promoted), Primaries: []Succession{}, Failed: text(e.Failed), FailoverFailed: e.NotPromoted, WhyNot: text(e.WhyNot),
			Figures: []EventFigure{}, Parts: []EventPart{}, Unserved: e.Unserved, AtLeast: Number(e.AtLeast), Unrecovered: e.Unrecovered,
		}
		for _, p := range e.Primaries {
			out.Primaries = append(out.Primaries, Succession(p))
		}
		for _, f := range e.Figures {
			out.Figures = append(out.Figures, EventFigure{Name: f.Name, Estimate: estimateOf(f.Estimate), Against: againstOf(f.Against)})
		}
		for _, p := range e.Parts {
			out.Parts = append(out.Parts, EventPart{Name: p.Name, Estimate: estimateOf(p.Estimate)})
		}
		out.Timeline = timelineOf(e.Timeline)
		doc.Events = append(doc.Events, out)
	}
	for _, l := range res.Ledgers {
		out := Ledger{Arm: text(l.Arm), Threads: l.Threads, Trials: l.Trials, Acknowledged: l.Acknowledged, Members: []LedgerMember{}}
		for _, m := range l.Members {
			m.Balances, m.Left, m.Examples = text(m.Balances), text(m.Left), text(m.Examples)
			out.Members = append(out.Members, LedgerMember(m))
		}
		doc.Ledgers = append(doc.Ledgers, out)
	}
}

func againstOf(c *compare.EventContrast) *EventContrast {
	if c == nil {
		return nil
	}
	return &EventContrast{Difference: Number(c.Difference), Interval: intervalOf(c.Interval), Rounds: c.Rounds, Verdict: string(c.Verdict)}
}

// Figure is that of a name, nil where the event has none.
func (e *Event) Figure(name string) *EventFigure {
	for i := range e.Figures {
		if e.Figures[i].Name == name {
			return &e.Figures[i]
		}
	}
	return nil
}

func estimateOf(e compare.Estimate) Estimate {
	out := Estimate{Mean: Number(e.Mean), Interval: intervalOf(e.Interval), Trials: e.Trials}
	if e.Trials == 0 {
		out.Mean = Unknown()
	}
	return out
}
