package compare

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// voidWarnings count the void trials by arm and by gate, and say what became of
// their rounds and what the others alone show.
func voidWarnings(r *record.Run, res *Result) []string {
	if len(res.Voids) == 0 {
		return nil
	}
	byArm, byGate, rounds := hits(r), map[string]int{}, map[Disposition]map[int]bool{RunAgain: {}, Counted: {}}
	for _, v := range res.Voids {
		byGate[v.Gate]++
		rounds[v.Disposition][v.Round] = true
	}
	var arms, seen, dispositions []string
	for _, a := range r.Experiment.Arms {
		arms = append(arms, fmt.Sprintf("%s %d", a.Name, len(byArm[a.Name])))
	}
	for _, g := range gates() {
		if n := byGate[g.name]; n > 0 {
			seen = append(seen, fmt.Sprintf("%s %d", g.name, n))
		}
	}
	if n := len(rounds[RunAgain]); n > 0 {
		dispositions = append(dispositions, plural(n, "round")+" run again")
	}
	if n := len(rounds[Counted]); n > 0 {
		dispositions = append(dispositions, plural(n, "round")+" counted, "+whyCounted(r))
	}
	w := []string{fmt.Sprintf("Trials disturbed by what no arm can cause: %s (%s); %s.",
		strings.Join(arms, ", "), strings.Join(seen, ", "), strings.Join(dispositions, "; "))}
	return append(w, undisturbed(res)...)
}

// whyCounted is why void rounds stand in a comparison, the strongest reason first.
func whyCounted(r *record.Run) string {
	budget := r.Experiment.Protocol.Reruns()
	switch arm := Suspect(r); {
	case budget == 0:
		return "as protocol.voids is 0"
	case arm != "":
		return fmt.Sprintf("as the gates stop trials of %s more often than chance would: they may see what the arm does to the machine", arm)
	case len(r.Voids) < budget:
		return fmt.Sprintf("until tare run --resume %s runs them again", r.Dir)
	}
	return fmt.Sprintf("as the %s that protocol.voids pays for %s spent", plural(budget, "repetition"), isOrAre(budget))
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// undisturbed is what the rounds show that nothing disturbed, for at most three
// contrasts; the report's table has all of them.
func undisturbed(res *Result) []string {
	var all []string
	for _, c := range res.Contrasts {
		for _, v := range c.Variants {
			if v.Name == withoutVoids && v.Interval95 != nil && len(all) < 3 {
				all = append(all, fmt.Sprintf("%s at %+.2f %% (95 %% interval %+.2f to %+.2f, %s)",
					armName(Arm{Name: c.Arm, Threads: c.Threads}, res), v.Effect, v.Interval95.Lo, v.Interval95.Hi, plural(v.Rounds, "round")))
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"The rounds that nothing disturbed show " + strings.Join(all, "; ") + "."}
}
