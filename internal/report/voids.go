package report

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
)

// Void is a trial that an external factor disturbed.
type Void struct {
	Trial   int    `json:"trial"`
	Round   int    `json:"round"`
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Gate    string `json:"gate"` // client, steal, foreign, thermal or sentinel
	// Seen and Median are the trial's value and the median of the run's: a share of the
	// machine's CPU time, or a count of events; null for gates that have no number.
	Seen   Number `json:"seen"`
	Median Number `json:"median"`
	// Said is the load engine's own message; Detail says in a sentence what the gate saw.
	Said string `json:"said"`
	// SaidReason is Said as a code with arguments; left out where the record has none.
	SaidReason *compare.Reason `json:"said_reason,omitempty"`
	Detail     string          `json:"detail"`
	// Disposition is what became of the round: run-again or counted.
	Disposition string `json:"disposition"`
}

func (doc *Document) setVoids(run *record.Run, voids []compare.Void) {
	doc.Voids = []Void{}
	for _, v := range voids {
		out := Void{Trial: v.Trial, Round: v.Round, Arm: text(v.Arm), Threads: v.Threads, Gate: text(v.Gate), Seen: Unknown(), Median: Unknown(), Said: text(v.Detail), Disposition: string(v.Disposition)}
		if v.Seen > 0 {
			out.Seen, out.Median = Number(v.Seen), Number(v.Median)
		}
		if v.Gate == "client" {
			out.SaidReason = clientFault(run, v)
		}
		doc.Voids = append(doc.Voids, out)
	}
}

// clientFault is why the client could not keep up in a disturbed trial; nil where the trial
// is not on record.
func clientFault(run *record.Run, v compare.Void) *compare.Reason {
	trials := run.Trials
	if v.Disposition == compare.RunAgain {
		trials = nil
		for _, aside := range run.Voids {
			trials = append(trials, aside.Trials...)
		}
	}
	for _, t := range trials {
		if t.Header.Trial == v.Trial {
			if why := compare.ClientFault(t); why != nil {
				return why
			}
		}
	}
	return nil
}

// seen says what a gate saw.
func seen(l *language.Language, v *Void) string {
	said := v.Said
	if v.SaidReason != nil {
		said = l.Reason(*v.SaidReason)
	}
	switch {
	case !v.Seen.Known():
		if s := l.Say("seen."+v.Gate, "said", said); s != "" && (v.Said == "" || v.Gate == "client") {
			return s
		}
		return v.Said
	case v.Gate == "thermal":
		return l.Say("seen.thermal", "n", language.Decimal(float64(v.Seen), 0), "median", language.Decimal(float64(v.Median), 0))
	}
	return l.Say("seen."+v.Gate, "share", language.Decimal(100*float64(v.Seen), 1), "median", language.Decimal(100*float64(v.Median), 1))
}
