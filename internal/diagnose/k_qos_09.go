package diagnose

import (
	"strings"
)

func kQOS09() Rule {
	return Rule{
		ID: "K-QOS-09", Title: "Low pod priority: the database can be preempted or evicted", Severity: Note, Risk: true, Needs: []Need{needPod()},
		What: "Without a PriorityClass the pod has priority 0. When resources run short, the scheduler preempts pods with low priority. Of the pods that use " +
			"more than they request, the kubelet evicts those with low priority first.",
		Impact: "An unplanned restart with crash recovery or an empty buffer pool.",
		Fix: "Create a PriorityClass for databases, for example value 1000000 with preemptionPolicy: Never. Do not use system-node-critical: it ranks the " +
			"database above the cluster's network agents.",
		Sources: []string{k8sKubelet, k8sPriority},
		Check: func(c *Case) []Finding {
			name := c.DB.Pod.Spec.Get("priorityClassName")
			if !name.Exists() || c.DB.Replicas == 0 {
				return nil // nearly every manifest: said by docs, not by each run
			}
			class := c.Set.Find("PriorityClass", name.Text())
			switch {
			case strings.HasPrefix(name.Text(), "system-"):
				return list(hint(name.Spot(), "%s is for the cluster's own components: the database then ranks with or above the agents it needs", name.Text()).
					fix("use a PriorityClass for databases"))
			case class == nil:
				return list(unknown("PriorityClass %s is not in the files", name.Text()))
			case class.Value.Get("value").Int(0) <= 0:
				return list(confirmed(class.Value.Get("value").Spot(), "PriorityClass %s has value %s: other pods can preempt the database", name.Text(), class.Value.Get("value").Text()).
					fix("value: 1000000"))
			}
			return nil
		},
	}
}
