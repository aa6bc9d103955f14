package diagnose

import (
	"strings"
)

func kQOS09() Rule {
	return Rule{
		ID: "K-QOS-09", Title: "Nothing protects the database from preemption", Severity: Note, Needs: []Need{needPod()},
		What: "Without a priority class the pod has priority 0. When the node runs short the kubelet evicts, and the scheduler preempts, in the " +
			"order of priority; every restart begins with an empty buffer pool.",
		Fix:     "A PriorityClass of its own, say value 1000000 with preemptionPolicy: Never. Not system-node-critical, which puts it above the network's agents.",
		Sources: []string{k8sKubelet, k8sPriority},
		Check: func(c *Case) []Finding {
			name := c.DB.Pod.Spec.Get("priorityClassName")
			if !name.Exists() || c.DB.Replicas == 0 {
				return nil // nearly every manifest: said by docs, not by each run
			}
			class := c.Set.Find("PriorityClass", name.Text())
			switch {
			case strings.HasPrefix(name.Text(), "system-"):
				return list(hint(name.Spot(), "%s is the class of the cluster's own agents: the database outranks the network it needs", name.Text()).
					fix("a PriorityClass of the database's own"))
			case class == nil:
				return list(unknown("PriorityClass %s is not among the files", name.Text()))
			case class.Value.Get("value").Int(0) <= 0:
				return list(confirmed(class.Value.Get("value").Spot(), "PriorityClass %s gives priority %s: any other pod may preempt the database", name.Text(), class.Value.Get("value").Text()).
					fix("value: 1000000"))
			}
			return nil
		},
	}
}
