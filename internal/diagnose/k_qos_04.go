package diagnose

func kQOS04() Rule {
	return Rule{
		ID: "K-QOS-04", Title: "Requests without a memory limit: the pod is Burstable", Severity: Note, Needs: []Need{needResources()},
		What: "A pod with requests but no limits is Burstable. Without a CPU limit there is no CFS quota and no throttling, which can suit a " +
			"latency-critical server better than a fractional limit. Without a memory limit the OOM killer decides by the memory pressure of the node, " +
			"not of the pod.",
		Impact: "No exclusive CPUs, and the server can be killed because another pod used up the node's memory.",
		Fix: "Best: whole CPUs with requests equal to limits on a node with the static CPU manager. Otherwise: a memory limit equal to the request and no " +
			"CPU limit.",
		Sources: []string{k8sQoS, k8sCM},
		Check: func(c *Case) []Finding {
			s := c.DB.Server
			if c.DB.Pod.Resources.Exists() {
				return list(unknown("requests are set for the whole pod"))
			}
			if !s.Request("cpu").Positive() || !s.Request("memory").Positive() || s.Limit("memory").Positive() {
				return nil
			}
			r := s.Request("memory")
			f := confirmed(r.At.Spot(), "requests without a memory limit: the pod is Burstable")
			same := resources(phrase("limits.memory: %s, equal to the request", r.At.Text()), "limits.memory", r.At.Text())
			if _, _, known := c.DB.BufferPool(); !known {
				return list(f.fix("limits.memory equal to requests.memory, of what the server needs: its buffer pool is not known"))
			}
			ways := []way{same}
			if server, _ := c.memoryOf(); limitFor(server) > r.Value {
				ways = append(ways, c.moreMemory(limitFor(server)))
			}
			return list(f.oneOf(term("limits.memory equal to requests.memory, of what the server needs"), ways...))
		},
	}
}
