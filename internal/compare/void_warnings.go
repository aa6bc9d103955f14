package compare

import (
	"slices"

	"github.com/tarebench/tare/internal/record"
)

// voidWarnings count the void trials by arm and by gate, and say what became of
// their rounds and what the others alone show.
func voidWarnings(r *record.Run, res *Result) []Reason {
	if len(res.Voids) == 0 {
		return nil
	}
	byArm, byGate, rounds := hits(r), map[string]int{}, map[Disposition]map[int]bool{RunAgain: {}, Counted: {}}
	for _, v := range res.Voids {
		byGate[v.Gate]++
		rounds[v.Disposition][v.Round] = true
	}
	var arms, seen, dispositions []Reason
	for _, a := range r.Experiment.Arms {
		arms = append(arms, reason("disturbed-of-arm").name("arm", a.Name).count("n", len(byArm[a.Name])))
	}
	for _, g := range gates() {
		if n := byGate[g.name]; n > 0 {
			seen = append(seen, reason("disturbed-by").part("gate", reason("gate-"+g.name)).count("n", n))
		}
	}
	if n := len(rounds[RunAgain]); n > 0 {
		dispositions = append(dispositions, reason("rounds-repeated").count("n", n))
	}
	if n := len(rounds[Counted]); n > 0 {
		dispositions = append(dispositions, reason("rounds-counted").count("n", n).part("why", whyCounted(r)))
	}
	w := []Reason{reason("disturbed").part("arms", arms...).part("gates", seen...).part("fates", dispositions...)}
	return append(w, undisturbed(r, res)...)
}

// whyCounted is why void rounds stand in a comparison, the strongest reason first.
func whyCounted(r *record.Run) Reason {
	budget := r.Experiment.Protocol.Reruns()
	switch arm := Suspect(r); {
	case budget == 0:
		return reason("repeats-off")
	case arm != "":
		return reason("repeats-suspect").name("arm", arm)
	case len(r.Voids) < budget:
		return reason("repeats-pending").name("dir", r.Dir)
	}
	return reason("repeats-spent").count("n", budget)
}

// undisturbed is what the rounds show that nothing disturbed, for at most three
// contrasts, as a cost; the report's table has all of them.
func undisturbed(r *record.Run, res *Result) []Reason {
	var all []Reason
	for _, c := range res.Contrasts {
		for _, v := range c.Variants {
			if v.Part.Code == withoutVoids && v.Interval95 != nil && len(all) < 3 {
				all = append(all, reason("cost-of").part("arm", armName(Arm{Name: c.Arm, Threads: c.Threads}, res)).
					num("size", -v.Effect).num("lo", -v.Interval95.Hi).num("hi", -v.Interval95.Lo).count("n", v.Rounds))
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	rest := *r
	rest.Trials = slices.DeleteFunc(slices.Clone(r.Trials), func(t *record.Trial) bool {
		return slices.ContainsFunc(res.Voids, func(v Void) bool { return v.Round == t.Header.Round })
	})
	if othersOf(&rest).Busy() { // other programs ran in those rounds as well
		return nil
	}
	return []Reason{reason("undisturbed-rounds").part("costs", all...)}
}
