package diagnose

func kOPS09() Rule {
	return Rule{
		ID: "K-OPS-09", Title: "No readiness probe: clients are sent to a server that is not ready", Severity: Note, Risk: true, Needs: []Need{needPod()},
		What: "A container without readinessProbe is ready as soon as it runs. A Service sends connections to it while InnoDB recovers or the image fills an " +
			"empty data directory, and a rolling update goes on to the next pod before this one answers. A startupProbe holds the container back as well, until it has succeeded once.",
		Impact:  "After each start clients get \"connection refused\" until the server listens: seconds, or minutes after a crash with a large redo log.",
		Fix:     "Add a readinessProbe to the server's container, such as a tcpSocket of its port.",
		Sources: []string{k8sProbes, k8sService},
		Check:   checkReadyAtOnce,
	}
}

// checkReadyAtOnce looks for a Service that waits for readiness: one with publishNotReadyAddresses does not.
func checkReadyAtOnce(c *Case) []Finding {
	server := c.DB.Server.Value
	if c.DB.Operator != "" || owned(c) || server.Get("readinessProbe").Exists() || server.Get("startupProbe").Exists() {
		return nil
	}
	if !c.DB.Pod.Meta.Get("labels").IsMap() {
		return list(unknown("the pod has no labels, so its Services are unknown"))
	}
	for _, s := range c.services() {
		if !s.Value.Get("spec", "publishNotReadyAddresses").IsTrue() {
			return list(confirmed(c.server(), "container %s has no readiness probe: Service %s sends connections to it before the server answers", c.DB.Server.Name, s.Name).
				fix("a readinessProbe of container %s, such as a tcpSocket of the server's port", c.DB.Server.Name))
		}
	}
	return nil
}
