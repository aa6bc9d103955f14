package diagnose

func kOPS01() Rule {
	return Rule{
		ID: "K-OPS-01", Title: "PodDisruptionBudget missing or too permissive", Severity: Note, Needs: []Need{needPod()},
		What: "Without a PodDisruptionBudget, or with one that allows more than one disruption, draining nodes can restart several replicas at the same " +
			"time, each with an empty buffer pool.",
		Impact:  "Loss of quorum or availability during node maintenance.",
		Fix:     "Create a PodDisruptionBudget with maxUnavailable: 1.",
		Sources: []string{k8sDisruption},
		Check: func(c *Case) []Finding {
			if c.DB.Replicas < 2 || owned(c) {
				return nil
			}
			if !c.DB.Pod.Meta.Get("labels").IsMap() {
				return list(unknown("the pod has no labels, so its PodDisruptionBudget is unknown"))
			}
			for _, o := range c.Set.All("PodDisruptionBudget") {
				if !c.selected(o.Value.Get("spec", "selector", "matchLabels")) {
					continue
				}
				if most := o.Value.Get("spec", "maxUnavailable"); most.Int(1) > 1 {
					return list(confirmed(most.Spot(), "maxUnavailable is %s of %d replicas", most.Text(), c.DB.Replicas).fix("maxUnavailable: 1").edit(most.Spot(), "1"))
				}
				return nil
			}
			return list(hint(c.DB.Object.Value.Get("spec", "replicas").Spot(), "%d replicas and no PodDisruptionBudget in the files", c.DB.Replicas).fix("a PodDisruptionBudget with maxUnavailable: 1"))
		},
	}
}
