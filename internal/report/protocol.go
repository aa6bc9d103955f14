package report

import (
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// Protocol is how the arms of a round shared its time.
type Protocol struct {
	Kind string `json:"kind"` // slices or windows
	// SliceMS is the counted part of a turn and LeadInMS the part before it; unknown for
	// windows.
	SliceMS  Number `json:"slice_ms"`
	LeadInMS Number `json:"lead_in_ms"`
	// Why says why this protocol was taken; "" where the record does not tell.
	Why string `json:"why"`
}

// windows is the protocol of a run without slices, by experiment.KindWindows.
const windows = "windows"

func protocol(run *record.Run) Protocol {
	p := Protocol{Kind: windows, SliceMS: Unknown(), LeadInMS: Unknown()}
	planned := run.Plan.Protocol
	if run.Imported != nil || planned == nil {
		return p
	}
	p.Kind, p.Why = planned.Kind, text(planned.Why)
	if s := planned.Slices; s != nil {
		ms := func(d time.Duration) Number { return Number(d.Seconds() * 1000) }
		p.SliceMS, p.LeadInMS = ms(s.Slice), ms(s.LeadIn)
	}
	return p
}

func milliseconds(n Number) string { return strconv.FormatFloat(float64(n), 'f', -1, 64) }

// protocolSentence says which protocol a run had, and why; "" where the record does not tell.
func (doc *Document) protocolSentence() string {
	p := doc.Protocol
	switch {
	case p.Why == "":
		return ""
	case p.Kind == windows:
		return doc.say("protocol.windows", "why", p.Why)
	}
	return doc.say("protocol.slices", "slice", milliseconds(p.SliceMS), "lead", milliseconds(p.LeadInMS), "why", p.Why)
}
