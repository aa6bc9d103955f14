package diagnose

func oGEN01() Rule {
	return Rule{
		ID: "O-GEN-01", Title: "The object is owned by an operator: changes are reverted", Severity: Note, Risk: true, Needs: []Need{needPod()},
		What:    "An operator rewrites the StatefulSet it created at its next reconciliation. Changes made to it are lost.",
		Impact:  "A fix disappears at an unpredictable time.",
		Fix:     "Change the custom resource that owns the object.",
		Sources: []string{"Kubernetes documentation, Owners and Dependents: https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/"},
		Check:   checkOwner,
	}
}

func checkOwner(c *Case) []Finding {
	for _, o := range c.DB.Object.Value.Get("metadata", "ownerReferences").Items() {
		switch kind := o.Get("kind").Text(); kind {
		case "ReplicaSet", "StatefulSet", "Deployment", "Job", "DaemonSet", "ReplicationController", "Node":
		case "":
			return list(unknown("an ownerReference without a kind"))
		default:
			return list(confirmed(o.Get("kind").Spot(), "%s %s owns this object and reverts changes to it", kind, o.Get("name").Text()).fix("change %s %s", kind, o.Get("name").Text()))
		}
	}
	return nil
}

// owned is whether something other than Kubernetes' own controllers made it.
func owned(c *Case) bool {
	for _, f := range checkOwner(c) {
		if f.Verdict == Confirmed {
			return true
		}
	}
	return false
}
