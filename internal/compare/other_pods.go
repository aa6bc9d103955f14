package compare

// This file is pods that ran with other requests, limits or another class than their arm asks for.

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// otherPods names the arms with such a pod, and what it had.
func otherPods(r *record.Run) []Reason {
	what := map[string][]Reason{}
	var arms []string
	for _, t := range r.Trials {
		arm := t.Header.Arm
		if slices.Contains(arms, arm) {
			continue
		}
		for _, key := range []string{keys.PodQoS, keys.PodCPURequest, keys.PodCPULimit, keys.PodMemoryRequest, keys.PodMemoryLimit} {
			asked, differs := startFact(t, strings.Replace(key, "pod.", "pod.asked.", 1))
			is, known := startFact(t, key)
			if differs && known {
				what[arm] = append(what[arm], reason("other-pod-value").name("key", key).name("value", is.Value).name("asked", asked.Value))
			}
		}
		if len(what[arm]) > 0 {
			arms = append(arms, arm)
		}
	}
	slices.Sort(arms) // the order of the trials is random
	var all []Reason
	for _, arm := range arms {
		all = append(all, reason("other-pod").name("arm", arm).part("what", what[arm]...))
	}
	return all
}
