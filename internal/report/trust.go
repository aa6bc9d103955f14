package report

import (
	"github.com/tarebench/tare/internal/compare"
)

// Variant is an effect computed from a part of the data; it ought to agree.
type Variant struct {
	// Variant is the sentence of Part, the part of the data.
	Variant       string         `json:"variant"`
	Part          compare.Reason `json:"part"`
	EffectPercent Number         `json:"effect_percent"`
	// Interval is at 95 % for all contrasts at once; null below two rounds.
	Interval *[2]Number `json:"interval"`
	Rounds   int        `json:"rounds"`
	Agrees   bool       `json:"agrees"`
}

// Steadiness is how still an arm held while it was measured; sizes in %.
type Steadiness struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	Trials  int    `json:"trials"`
	// DriftPercent is the second half of the windows against the first, with its
	// 99 % interval; DriftBound what the data do not rule out.
	DriftPercent  Number     `json:"drift_percent"`
	DriftInterval *[2]Number `json:"drift_interval"`
	DriftBound    Number     `json:"drift_bound"`
	Drifts        bool       `json:"drifts"`
	// Changed of Tested trials change their level within the window.
	Changed int `json:"changed"`
	Tested  int `json:"tested"`
	// ChangesLevel says that more than a fifth of them do.
	ChangesLevel bool `json:"changes_level"`
	// MachineSlow trials began while the machine was slower than before the others.
	MachineSlow int `json:"machine_slow"`
	// RestartSD and WithinSD are the parts of the spread of trials.
	RestartSD Number `json:"restart_sd_percent"`
	WithinSD  Number `json:"within_sd_percent"`
	// CheapestSeconds is the window that gives most precision for the time.
	CheapestSeconds Number `json:"cheapest_seconds"`
}

// CarryOver is whether a trial leaves something behind for the next.
type CarryOver struct {
	Threads int               `json:"threads"`
	P       Number            `json:"p"`
	Left    map[string]Number `json:"left_percent"` // after each arm
	// Interval is the 95 % interval of Left, by itself; Trials how many it is over.
	Interval map[string]*[2]Number `json:"left_interval"`
	Trials   map[string]int        `json:"left_trials"`
	Flagged  bool                  `json:"flagged"`
}

// Scaling is the Universal Scalability Law of an arm.
type Scaling struct {
	Arm           string     `json:"arm"`
	Levels        []int      `json:"levels"`
	Rounds        int        `json:"rounds"`
	Lambda        Number     `json:"lambda"`
	Sigma         Number     `json:"sigma"`
	SigmaInterval *[2]Number `json:"sigma_interval"`
	Kappa         Number     `json:"kappa"`
	KappaInterval *[2]Number `json:"kappa_interval"`
	// PeakThreads is null where it lies beyond the largest level measured.
	PeakThreads  Number `json:"peak_threads"`
	WorstThreads int    `json:"worst_threads"`
	WorstPercent Number `json:"worst_percent"`
	Misfit       bool   `json:"misfit"`
	Knee         Knee   `json:"knee"`
}

// Knee is the number of threads at which an arm is saturated.
type Knee struct {
	State    string     `json:"state"` // found, not-reached or not-determined
	Threads  Number     `json:"threads"`
	Interval *[2]Number `json:"interval"`
	Why      string     `json:"why,omitempty"` // it is not determined
}

func (doc *Document) trust(res *compare.Result) {
	doc.Steadiness, doc.CarryOvers, doc.Scalings = []Steadiness{}, []CarryOver{}, []Scaling{}
	for _, s := range res.Steadiness {
		doc.Steadiness = append(doc.Steadiness, Steadiness{
			Arm: text(s.Arm), Threads: s.Threads, Trials: s.Trials, DriftPercent: Number(s.Drift), DriftInterval: intervalOf(s.Interval),
			DriftBound: Number(s.Bound), Drifts: s.Flagged, Changed: s.Changed, Tested: s.Tested, ChangesLevel: s.ChangesLevel(), MachineSlow: s.MachineSlow,
			RestartSD: Number(s.Restart), WithinSD: Number(s.Within), CheapestSeconds: Number(s.Cheapest),
		})
	}
	for _, c := range res.CarryOvers {
		out := CarryOver{Threads: c.Threads, P: Number(c.P), Left: map[string]Number{}, Interval: map[string]*[2]Number{}, Trials: map[string]int{}, Flagged: c.Flagged}
		for arm, v := range c.Left {
			out.Left[text(arm)], out.Interval[text(arm)], out.Trials[text(arm)] = Number(v), intervalOf(c.Interval[arm]), c.Trials[arm]
		}
		doc.CarryOvers = append(doc.CarryOvers, out)
	}
	for _, s := range res.Scalings {
		doc.Scalings = append(doc.Scalings, Scaling{
			Arm: text(s.Arm), Levels: s.Levels, Rounds: s.Rounds, Lambda: Number(s.Lambda), Sigma: Number(s.Sigma), Kappa: Number(s.Kappa),
			SigmaInterval: intervalOf(s.SigmaInterval), KappaInterval: intervalOf(s.KappaInterval), PeakThreads: Number(s.Peak),
			WorstThreads: s.WorstThreads, WorstPercent: Number(s.Worst), Misfit: s.Misfit,
			Knee: Knee{State: string(s.Knee.State), Threads: Number(s.Knee.Threads), Interval: intervalOf(s.Knee.Interval), Why: string(s.Knee.Why)},
		})
	}
}
