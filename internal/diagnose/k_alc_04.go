package diagnose

func kALC04() Rule {
	return Rule{
		ID: "K-ALC-04", Title: "No pod anti-affinity: replicas may share a node", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "Replicas on one node compete for CPU caches, memory bandwidth, page cache, network queues and the disk. Requests and limits cover none of " +
			"these. One node failure also stops all of them.",
		Impact: "Lower throughput of every replica on the node, and no high availability.",
		Fix: "Add podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution, or a topology spread constraint with whenUnsatisfiable: DoNotSchedule, " +
			"on kubernetes.io/hostname.",
		Sources: []string{k8sSpread},
		Check:   checkSpread,
	}
}

// defaultScheduler is the name that the API server writes into a pod that names no scheduler
// (pkg/apis/core/v1/defaults.go), so that manifests exported from a cluster have it.
const defaultScheduler = "default-scheduler"

func checkSpread(c *Case) []Finding {
	if c.DB.Replicas < 2 || c.DB.Object.Kind == "DaemonSet" {
		return nil
	}
	affinity := c.DB.Pod.Spec.Get("affinity", "podAntiAffinity")
	if affinity.Get("requiredDuringSchedulingIgnoredDuringExecution").Exists() {
		return nil
	}
	for _, t := range c.DB.Pod.Spec.Get("topologySpreadConstraints").Items() {
		if t.Get("topologyKey").Text() == "kubernetes.io/hostname" && t.Get("whenUnsatisfiable").Text() != "ScheduleAnyway" {
			return nil
		}
	}
	if name := c.DB.Pod.Spec.Get("schedulerName").Text(); name != "" && name != defaultScheduler {
		return list(unknown("scheduler %s may have its own rules for spreading replicas", name))
	}
	if affinity.Get("preferredDuringSchedulingIgnoredDuringExecution").Exists() {
		return list(hint(affinity.Spot(), "anti-affinity is preferred, not required: replicas can still share a node").as(Note).
			fix("requiredDuringSchedulingIgnoredDuringExecution with topologyKey: kubernetes.io/hostname"))
	}
	return list(confirmed(c.DB.Object.Value.Get("spec", "replicas").Spot(), "%d replicas without required anti-affinity: two of them can run on one node", c.DB.Replicas).
		fix("affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution with topologyKey: kubernetes.io/hostname"))
}
