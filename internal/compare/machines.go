package compare

// This file says where a run was measured on more than one machine or by more than one tare: it was
// resumed elsewhere, or after an update. The differences of arms do not show it, because all arms
// have both values.

import (
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// changedMachine names the properties of the machine, and tare's version, that differ between trials
// of one arm.
func changedMachine(res *Result) []Reason {
	changed := map[string][]string{}
	for i := range res.Arms {
		for key, values := range res.Arms[i].machine() {
			if len(values) > 1 && len(changed[key]) == 0 {
				changed[key] = values
			}
		}
	}
	var w []Reason
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		w = append(w, reason("machine-changed").name("key", key).name("before", changed[key][0]).name("after", changed[key][1:]...))
	}
	return w
}

// machine are the values that an arm's measured trials have of each property, in the order in which
// they were measured.
func (a *Arm) machine() map[string][]string {
	seen := map[string][]string{}
	add := func(key, value string) {
		if value != "" && !slices.Contains(seen[key], value) {
			seen[key] = append(seen[key], value)
		}
	}
	trials := slices.Clone(a.numbers())
	slices.SortFunc(trials, func(x, y *record.Trial) int { return x.Header.Started.Compare(y.Header.Started) })
	for _, t := range trials {
		add("tare", t.Header.Tare)
		for _, f := range t.Facts {
			if f.Phase == "start" && strings.HasPrefix(f.Key, "host.") && f.Key != keys.HostLoad {
				add(f.Key, f.Value)
			}
		}
	}
	return seen
}
