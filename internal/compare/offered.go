package compare

import (
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Offered is what an open loop asked of an arm, over all its windows: transactions
// that fell due, and those among them that no connection became free for.
type Offered struct {
	Due, Unsent int64
}

// offered is nil for a closed loop, and for an engine that does not count.
func offered(trials []*record.Trial) *Offered {
	var o *Offered
	for _, t := range trials {
		if kind(t) == incomplete {
			continue
		}
		for _, f := range t.Facts {
			n, err := strconv.ParseInt(f.Value, 10, 64)
			if err != nil || f.Key != keys.LoadArrivalsDue && f.Key != keys.LoadArrivalsUnsent {
				continue
			}
			if o == nil {
				o = &Offered{}
			}
			if f.Key == keys.LoadArrivalsDue {
				o.Due += n
			} else {
				o.Unsent += n
			}
		}
	}
	return o
}

// rate is how many transactions a second an open loop offers; 0 in a closed loop, and where the files of an import do not all
// name the same.
func rate(r *record.Run) float64 {
	if r.Imported != nil {
		return importedRate(r.Trials)
	}
	return float64(r.Experiment.Load.Rate)
}

func importedRate(trials []*record.Trial) float64 {
	var all []string
	for _, t := range trials {
		value := "" // of a closed loop
		for _, f := range t.Facts {
			if f.Key == keys.LoadRate {
				value = f.Value
			}
		}
		all = append(all, value)
	}
	if len(all) == 0 || slices.ContainsFunc(all, func(v string) bool { return v != all[0] }) {
		return 0
	}
	v, err := strconv.ParseFloat(all[0], 64)
	if err != nil {
		return 0
	}
	return v
}
