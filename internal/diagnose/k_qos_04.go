package diagnose

func kQOS04() Rule {
	return Rule{
		ID: "K-QOS-04", Title: "Requests without limits make a Burstable pod", Severity: Note, Needs: []Need{needResources()},
		What: "Requests alone are neither BestEffort nor Guaranteed. Without a CPU limit there is no quota and no throttling, which for a " +
			"latency-critical server can be better than a fractional limit; without a memory limit the server is killed in the order of the node's, " +
			"not its own, needs.",
		Fix:     "Best: whole CPUs, requests equal to limits, on a node whose CPU manager pins. Second: a memory limit equal to the request and no CPU limit.",
		Sources: []string{k8sQoS, k8sCM},
		Check: func(c *Case) []Finding {
			s := c.DB.Server
			if c.DB.Pod.Resources.Exists() {
				return list(unknown("requests are set for the pod as a whole"))
			}
			if !s.Request("cpu").Positive() || !s.Request("memory").Positive() || s.Limit("memory").Positive() {
				return nil
			}
			r := s.Request("memory")
			return list(confirmed(r.At.Spot(), "requests without a memory limit: the pod is Burstable").fix("limits.memory: %s, as requested", r.At.Text()))
		},
	}
}
