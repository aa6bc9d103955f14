package report

import "github.com/tarebench/tare/internal/compare"

// Fault is what happened to a member while it was loaded, and what that cost, over the trials
// of an arm.
type Fault struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Number  int    `json:"number"` // from 1, in the order of the experiment
	Kind    string `json:"kind"`   // kill, pause, cutOff, slowDisk or slowLink
	// Member is as the experiment names it: primary, secondary, or a number.
	Member string `json:"member"`
	// At and For are in seconds of the measured window; For is 0 where it lasts to the end.
	At     Number `json:"at_s"`
	For    Number `json:"for_s"`
	Trials int    `json:"trials"`
	// Lost is in % of the throughput before the first fault, Without and Promoted in seconds.
	Lost      Estimate     `json:"throughput_lost_percent"`
	Without   Estimate     `json:"without_service_s"`
	Promoted  Estimate     `json:"promoted_after_s"`
	Primaries []Succession `json:"primaries"`
	Failed    string       `json:"failed"` // why it could not be carried out in a trial
	// FailoverFailed is in how many trials no other member could be promoted, WhyNot why in one.
	FailoverFailed int    `json:"failover_failed"`
	WhyNot         string `json:"failover_failed_why"`
}

// Estimate is a mean over trials; the interval at 95 % is null below two trials.
type Estimate struct {
	Mean     Number     `json:"mean"`
	Interval *[2]Number `json:"interval"`
	Trials   int        `json:"trials"`
}

// Succession is who was the primary before and after a fault, in so many trials.
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

// setFaults leaves the document as it is where nothing happened to members.
func (doc *Document) setFaults(res *compare.Result) {
	for _, f := range res.Faults {
		out := Fault{
			Arm: text(f.Arm), Threads: f.Threads, Number: f.Number, Kind: text(f.Kind), Member: text(f.Named), At: Number(f.At), For: Number(f.For), Trials: f.Trials,
			Lost: estimateOf(f.Lost), Without: estimateOf(f.Without), Promoted: estimateOf(f.Promoted), Primaries: []Succession{}, Failed: text(f.Failed), FailoverFailed: f.NotPromoted, WhyNot: text(f.WhyNot),
		}
		for _, p := range f.Primaries {
			out.Primaries = append(out.Primaries, Succession(p))
		}
		doc.Faults = append(doc.Faults, out)
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

func estimateOf(e compare.Estimate) Estimate {
	out := Estimate{Mean: Number(e.Mean), Interval: intervalOf(e.Interval), Trials: e.Trials}
	if e.Trials == 0 {
		out.Mean = Unknown()
	}
	return out
}
