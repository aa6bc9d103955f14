package diagnose

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kOPS01() Rule {
	return Rule{
		ID: "K-OPS-01", Title: "PodDisruptionBudget missing or too permissive", Severity: Note, Risk: true, Needs: []Need{needPod()},
		What: "Without a PodDisruptionBudget, or with one that allows more than one disruption, draining nodes can restart several replicas at the same " +
			"time, each with an empty buffer pool.",
		Impact:  "Loss of quorum or availability during node maintenance.",
		Fix:     "Create a PodDisruptionBudget with maxUnavailable: 1.",
		Sources: []string{k8sDisruption},
		Check: func(c *Case) []Finding {
			if c.DB.Replicas < 1 || owned(c) {
				return nil
			}
			if !c.DB.Pod.Meta.Get("labels").IsMap() {
				return list(unknown("the pod has no labels, so its PodDisruptionBudget is unknown"))
			}
			for _, o := range c.Set.All("PodDisruptionBudget") {
				selector := o.Value.Get("spec", "selector")
				if o.Namespace != c.DB.Object.Namespace || !c.selected(selector.Get("matchLabels")) {
					continue
				}
				if selector.Get("matchExpressions").Exists() {
					return list(unknown("whether PodDisruptionBudget %s is for this pod: its selector has matchExpressions", o.Name))
				}
				if f := tooStrict(o, c.DB.Replicas); f != nil || c.DB.Replicas < 2 {
					return f
				}
				return tooPermissive(o, c.DB.Replicas)
			}
			if c.DB.Replicas < 2 {
				return nil
			}
			return list(hint(c.DB.Object.Value.Get("spec", "replicas").Spot(), "%d replicas and no PodDisruptionBudget in the files", c.DB.Replicas).fix("a PodDisruptionBudget with maxUnavailable: 1"))
		},
	}
}

// tooPermissive is a budget by which a drain can take more than one replica at a time.
func tooPermissive(budget *manifest.Object, replicas int64) []Finding {
	most, least := budget.Value.Get("spec", "maxUnavailable"), budget.Value.Get("spec", "minAvailable")
	if n, ok := replicasOf(most.Text(), replicas); ok && n > 1 {
		return list(confirmed(most.Spot(), "maxUnavailable is %s of %d replicas", most.Text(), replicas).fix("maxUnavailable: 1").edit(most.Spot(), "1"))
	}
	if n, ok := replicasOf(least.Text(), replicas); ok && replicas-n > 1 {
		return list(confirmed(least.Spot(), "minAvailable is %s of %d replicas: a drain can take %d at a time", least.Text(), replicas, replicas-n).fix("maxUnavailable: 1"))
	}
	return nil
}

// tooStrict is a budget that lets no replica go: a drain of its node waits for ever.
func tooStrict(budget *manifest.Object, replicas int64) []Finding {
	most, least := budget.Value.Get("spec", "maxUnavailable"), budget.Value.Get("spec", "minAvailable")
	at, severity := most, Warning
	if n, ok := replicasOf(least.Text(), replicas); ok && n >= replicas {
		at = least
	} else if n, ok := replicasOf(most.Text(), replicas); !ok || n > 0 {
		return nil
	}
	if replicas == 1 {
		severity = Note // some want to be asked before their only server is moved
	}
	return list(confirmed(at.Spot(), "%s %s of %d replicas: no pod can be evicted, and a drain of its node does not end", at.Path()[len("spec."):], at.Text(), replicas).as(severity).fix("maxUnavailable: 1"))
}

// replicasOf is a number of replicas or a percentage of them, which Kubernetes rounds up
// (GetScaledValueFromIntOrPercent, k8s.io/apimachinery/pkg/util/intstr).
func replicasOf(text string, replicas int64) (int64, bool) {
	share, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(share, 10, 64)
	if percent {
		n = (n*replicas + 99) / 100
	}
	return n, err == nil
}
