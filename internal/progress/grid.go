// The plan as a grid: a row for each arm, a column for each round.

package progress

import (
	"fmt"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// mark is how the state of a trial looks: never by colour alone.
type mark struct {
	glyph, ascii string
	colour       string // one of the terminal's own 16, "" for none
	word         string
}

// keyOrder is the order of the marks in the key.
func keyOrder() []string {
	return []string{
		string(record.Measured), string(record.NotReady), string(record.Starved), string(record.ServerLost), string(record.Failed), "now", "void", "",
	}
}

// marks are the states of a trial.
func marks() map[string]mark {
	return map[string]mark{
		string(record.Measured):   {"■", "#", "32", "measured"},
		string(record.NotReady):   {"▽", "v", "33", "not ready"},
		string(record.Starved):    {"▽", "v", "33", "starved"},
		string(record.ServerLost): {"‡", "!", "31", "server lost"},
		string(record.Failed):     {"✕", "x", "35", "failed"},
		"now":                     {"▶", ">", "1", "now"},
		"void":                    {"↻", "r", "36", "to repeat"},
		"":                        {"·", ".", "2", "pending"},
	}
}

// row is the trials of one arm at one level of load; the baseline's second
// measurement has a row of its own.
type row struct {
	label  string
	trials map[int]experiment.Trial // by round
}

// grid are the rows in the order of the experiment.
func (s *state) grid() []row {
	type key struct {
		arm     string
		threads int
		again   bool
	}
	at := map[key]int{}
	var rows []row
	for _, again := range []bool{false, true} {
		for _, arm := range s.arms {
			for _, threads := range s.levels {
				label := arm
				if len(s.levels) > 1 {
					label += fmt.Sprintf(" x%d", threads)
				}
				if again {
					label += " (A/A)"
				}
				at[key{arm, threads, again}] = len(rows)
				rows = append(rows, row{label, map[int]experiment.Trial{}})
			}
		}
	}
	for _, t := range s.plan.Trials {
		rows[at[key{t.Arm, t.Threads, t.Again}]].trials[t.Round] = t
	}
	var used []row
	for _, r := range rows {
		if len(r.trials) > 0 {
			used = append(used, r)
		}
	}
	return used
}

// of is the state of a trial as marks has it.
func (s *state) of(t experiment.Trial) string {
	switch {
	case s.done[t.Number] != "":
		return string(s.done[t.Number])
	case s.trial.Number > 0 && !s.apart(t, s.trial):
		return "now"
	case s.void[t.Number]:
		return "void"
	}
	return ""
}
