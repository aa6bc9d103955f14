package compare

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// loadNodes are the nodes of the pods that sent a trial's load, as one; without a name where none did, or their nodes are
// unknown.
func loadNodes(t *record.Trial) onNode {
	var all []string
	for _, f := range t.Facts {
		if strings.HasPrefix(f.Key, keys.LoadPodPrefix) && strings.HasSuffix(f.Key, ".node") && f.Unknown == "" && !slices.Contains(all, f.Value) {
			all = append(all, f.Value)
		}
	}
	slices.Sort(all)
	return onNode{name: strings.Join(all, "+")}
}

// loadNodeWarnings name the arms whose load came from other nodes than the baseline's in some rounds. Arms that name the
// node of their load pods vary it on purpose, and are named all the same.
func loadNodeWarnings(res *Result) []Reason {
	return apartWarnings(res, reason("load-on-other-nodes"), func(base, arm *Arm) roundsApart { return apartIn(base, arm, loadNodes) })
}
