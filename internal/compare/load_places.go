package compare

import (
	"slices"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// loadPlaces warns where arms were loaded from different places: the comparison then
// includes the network path from each place. Arms of one cluster's pods are loaded from
// one place, whatever their nodes, which an arm may vary on purpose.
func loadPlaces(r *record.Run) []Reason {
	var places []string
	arms := map[string][]string{}
	for _, t := range r.Trials {
		i := slices.IndexFunc(t.Facts, func(f record.Fact) bool { return f.Key == keys.LoadFrom && f.Unknown == "" })
		if i < 0 {
			continue
		}
		place, arm := t.Facts[i].Value, t.Header.Arm
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
		if !slices.Contains(arms[place], arm) {
			arms[place] = append(arms[place], arm)
		}
	}
	if len(places) < 2 {
		return nil
	}
	slices.Sort(places) // the order of the trials is random
	var all []Reason
	for _, place := range places {
		slices.Sort(arms[place])
		all = append(all, reason("load-place").name("arms", arms[place]...).name("place", place))
	}
	return []Reason{reason("load-places").part("places", all...)}
}
