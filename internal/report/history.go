package report

import (
	"io"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// HistorySchema names the document of many runs.
const HistorySchema = "tare.history/v1"

// History is every arm over many runs.
type History struct {
	Schema  string   `json:"schema"`
	Version int      `json:"version"`
	Tare    string   `json:"tare"`
	Series  []Series `json:"series"`
}

// Series is one arm at one level of the load, a point for each run of an experiment with the same
// data, load and windows, or of logs with the same unit, test, rate and work of a transaction. Experiment is "" of imported runs.
type Series struct {
	Experiment string  `json:"experiment"`
	Arm        string  `json:"arm"`
	Threads    int     `json:"threads"`
	Unit       string  `json:"unit"` // of the throughputs
	Points     []Point `json:"points"`
	Shifts     []Shift `json:"shifts"`
	// LeftOut are the runs that measured the arm and have no figure of it.
	LeftOut []LeftOut `json:"left_out"`
}

// LeftOut is a run whose figure of an arm does not count. Reason is the sentence of Why.
type LeftOut struct {
	Run     string         `json:"run"`
	Started *time.Time     `json:"started"` // null for a log that does not say
	Reason  string         `json:"reason"`
	Why     compare.Reason `json:"-"`
}

// Point is an arm in a run; HalfPercent is half of its 95 % interval, and Interval its ends, null for one trial.
// OthersPercent is what others used of a busy machine's CPU time, which --others-cpu allowed; absent of other runs.
type Point struct {
	Run         string     `json:"run"`
	Started     *time.Time `json:"started"` // null for a log that does not say
	Throughput  Number     `json:"throughput"`
	HalfPercent Number     `json:"half_percent"`
	Interval    *[2]Number `json:"interval"`

	OthersPercent Number `json:"others_percent,omitempty"`
}

// Shift is a change of level that lasts, from a run on. Interval is at 95 %, null where
// a level has a single run; Before and After are the runs of either level.
type Shift struct {
	Run           string     `json:"run"`
	ChangePercent Number     `json:"change_percent"`
	Interval      *[2]Number `json:"interval"`
	Before        int        `json:"runs_before"`
	After         int        `json:"runs_after"`
}

// BuildHistory turns series into their document; tare is the program's version.
func BuildHistory(all []compare.Series, tare string) *History {
	h := &History{Schema: HistorySchema, Version: Version, Tare: tare, Series: []Series{}}
	for _, s := range all {
		out := Series{Experiment: text(s.Experiment), Arm: text(s.Arm), Threads: s.Threads, Unit: text(s.Unit), Points: []Point{}, Shifts: []Shift{}, LeftOut: []LeftOut{}}
		for _, p := range s.Points {
			point := Point{Run: text(p.Run), Throughput: Number(p.Throughput), HalfPercent: Number(p.Half), Interval: intervalOf(p.Interval), OthersPercent: Number(100 * p.Others)}
			if !p.Started.IsZero() {
				point.Started = &p.Started
			}
			out.Points = append(out.Points, point)
		}
		for _, c := range s.Shifts {
			out.Shifts = append(out.Shifts, Shift{text(c.Run), Number(c.Change), intervalOf(c.Interval), c.Before, c.After})
		}
		for _, left := range s.LeftOut {
			one := LeftOut{Run: text(left.Run), Reason: text(language.English().Reason(left.Why)), Why: left.Why}
			if !left.Started.IsZero() {
				one.Started = &left.Started
			}
			out.LeftOut = append(out.LeftOut, one)
		}
		h.Series = append(h.Series, out)
	}
	return h
}

// HistoryJSON writes the document.
func HistoryJSON(w io.Writer, h *History) error { return indented(w, "history", h) }
