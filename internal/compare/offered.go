package compare

import (
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Offered is what an open loop asked of an arm, over all its trials at one rate.
type Offered struct {
	// Trials were offered it; Due and Unsent are what fell due in those that were measured, and what no
	// connection had become free for at their ends.
	Trials      int
	Due, Unsent int64
	// Behind counts the trials whose backlog grew.
	Behind int
	// Why says why response times have no figure; nil where they have.
	Why *Reason
}

const (
	// backlogShare is the share of what fell due that is left waiting at the end of a window whose backlog
	// grew, and backlogTime is how long it takes to fall due at least: in a short window a queue of some
	// transactions is there at any moment, without growing.
	backlogShare = 0.01
	backlogTime  = 0.1 // s
)

// add counts the arrivals of a window at so many a second; 0 where the rate is not known, and a backlog is
// not told from a queue.
func (o *Offered) add(due, unsent int64, rate float64) {
	o.Due, o.Unsent = o.Due+due, o.Unsent+unsent
	if rate > 0 && float64(unsent) > backlogShare*float64(due) && float64(unsent) > backlogTime*rate {
		o.Behind++
	}
}

// overloaded says that the server could not serve the rate: its queue grew in most of the trials, so that
// response times are as long as the windows are, and no property of the server.
func (o *Offered) overloaded() bool { return 2*o.Behind > o.Trials }

func (o *Offered) tooSlow(a *Arm, rate float64) Reason {
	return reason("rate-behind").name("arm", a.Name).num("rate", rate).count("n", o.Behind).count("of", o.Trials).num("unsent", float64(o.Unsent)).num("due", float64(o.Due))
}

// said is what is to be said of an arm's response times: why they have no figure, or that the queue grew in some
// trials. Nil where it grew in none.
func (o *Offered) said(a *Arm, rate float64) *Reason {
	if o.Why != nil || o.Behind == 0 {
		return o.Why
	}
	waiting := reason("rate-waiting").name("arm", a.Name).num("rate", rate).count("n", o.Behind).count("of", o.Trials)
	return &waiting
}

// offered is nil for a closed loop, and for an engine that does not count arrivals.
func (a *Arm) offered(rate float64) *Offered {
	var o Offered
	for _, t := range a.Trials {
		if kind(t) == incomplete {
			continue
		}
		due, counted := arrivals(t, keys.LoadArrivalsDue)
		unsent, _ := arrivals(t, keys.LoadArrivalsUnsent)
		if counted {
			o.Trials++
			o.add(due, unsent, rate)
		}
	}
	if o.Trials == 0 {
		return nil
	}
	if o.overloaded() {
		why := o.tooSlow(a, rate)
		o.Why = &why
	}
	return &o
}

// arrivals is how many a trial counted.
func arrivals(t *record.Trial, key string) (n int64, counted bool) {
	for _, f := range t.Facts {
		if v, err := strconv.ParseInt(f.Value, 10, 64); f.Key == key && err == nil {
			n, counted = n+v, true
		}
	}
	return n, counted
}

// rate is how many transactions a second an open loop offers; 0 in a closed loop, and where the files of an import do
// not all name the same.
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
