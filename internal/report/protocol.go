package report

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Protocol is how the arms of a round shared its time.
type Protocol struct {
	Kind string `json:"kind"` // slices or windows
	// SliceMS is the counted part of a turn and LeadInMS the part before it; unknown for
	// windows.
	SliceMS  Number `json:"slice_ms"`
	LeadInMS Number `json:"lead_in_ms"`
	// Off is how a server was off between its turns: frozen, or idle, which is without load and nothing else. Left out
	// for windows.
	Off string `json:"off,omitempty"`
	// ClockUncertaintyMS is by how much the clock of a generator may have differed from that of tare's host, the most
	// of all trials: 0 where one clock, that host's or a node's, kept the turns of all servers and generators. Unknown for windows, which
	// need no common clock.
	ClockUncertaintyMS Number `json:"clock_uncertainty_ms"`
	// Neighbours says that arms had neighbours which worked in the turns of their own arm alone.
	Neighbours bool `json:"neighbours_in_turns,omitempty"`
	// Why says why this protocol was taken; "" where the record does not tell.
	Why string `json:"why"`
	// WhyReason is Why as a code with arguments; left out where the record has none.
	WhyReason *experiment.Reason `json:"why_reason,omitempty"`
}

// What Protocol.Off can be.
const (
	frozen = "frozen"
	idle   = "idle"
)

// windows is the protocol of a run without slices, by experiment.KindWindows.
const windows = "windows"

func protocol(run *record.Run) Protocol {
	p := Protocol{Kind: windows, SliceMS: Unknown(), LeadInMS: Unknown(), ClockUncertaintyMS: Unknown()}
	planned := run.Plan.Current()
	if run.Imported != nil || planned == nil {
		return p
	}
	p.Kind, p.Why, p.WhyReason = planned.Kind, text(planned.Why), planned.Reason
	if s := planned.Slices; s != nil {
		ms := func(d time.Duration) Number { return Number(float64(d.Microseconds()) / 1000) }
		p.SliceMS, p.LeadInMS = ms(s.Slice), ms(s.LeadIn)
		p.Off, p.ClockUncertaintyMS, p.Neighbours = frozen, clockUncertainty(run), neighboursInTurns(run)
		if s.Idle {
			p.Off = idle
		}
	}
	return p
}

// clockUncertainty is the largest of all trials, in milliseconds. Only generators with clocks of their own have one.
func clockUncertainty(run *record.Run) Number {
	most := Number(0)
	for _, t := range run.Trials {
		for _, f := range t.Facts {
			if ms, err := strconv.ParseFloat(f.Value, 64); f.Key == keys.ClockUncertaintyMS && err == nil {
				most = max(most, Number(ms))
			}
		}
	}
	return most
}

// milliseconds are shown to a tenth: a lead-in is computed.
func milliseconds(n Number) string {
	return strconv.FormatFloat(math.Round(10*float64(n))/10, 'f', -1, 64)
}

// protocolSentence says which protocol a run had, and why; "" where the record does not tell.
func (doc *Document) protocolSentence() string {
	p := doc.Protocol
	if p.WhyReason != nil {
		if why := doc.Language().Why(*p.WhyReason); why != "" {
			p.Why = why
		}
	}
	switch {
	case p.Why == "":
		return ""
	case p.Kind == windows:
		return doc.Say("protocol.windows", "why", p.Why)
	}
	key := "protocol.slices"
	if p.Off == idle {
		key = "protocol.slices-idle"
	}
	s := doc.Say(key, "slice", milliseconds(p.SliceMS), "lead", milliseconds(p.LeadInMS), "why", p.Why)
	if p.Neighbours {
		s += doc.Say("protocol.neighbours")
	}
	return s
}

// Interval is the length of a log's intervals in seconds; a range where they differ.
func (doc *Document) Interval() string {
	if len(doc.Run.IntervalSeconds) < 2 {
		return ""
	}
	lo, hi := strconv.FormatFloat(float64(doc.Run.IntervalSeconds[0]), 'g', 4, 64), strconv.FormatFloat(float64(doc.Run.IntervalSeconds[1]), 'g', 4, 64)
	if lo == hi {
		return lo
	}
	return doc.Language().Between(lo, hi)
}

// PerInterval is PerPoint with words for the intervals of a log, where these are no seconds, and for
// a log that has none.
func (doc *Document) PerInterval(second, turn, interval, none string) string {
	if doc.Run.Imported && len(doc.Run.IntervalSeconds) == 0 {
		return none
	}
	for _, s := range doc.Run.IntervalSeconds {
		if s != 1 {
			return interval
		}
	}
	return doc.PerPoint(second, turn)
}

// PerPoint is the key of the words that name a point of a series: a second of a window or, in a
// run of slices, a turn.
func (doc *Document) PerPoint(second, turn string) string {
	if doc.Protocol.Kind == windows {
		return second
	}
	return turn
}

// neighboursInTurns says that a neighbour of the run followed turns.
func neighboursInTurns(run *record.Run) bool {
	return slices.ContainsFunc(run.Trials, func(t *record.Trial) bool {
		return slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return f.Key == keys.NeighbourTurns && f.Value != "" })
	})
}
