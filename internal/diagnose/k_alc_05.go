package diagnose

func kALC05() Rule {
	return Rule{
		ID: "K-ALC-05", Title: "An init container raises the pod's effective request", Severity: Warning, Needs: []Need{needResources()},
		What: "The effective request of a pod is the larger of its largest init container and the sum of its containers. An init container that requests " +
			"more than the containers together increases what the scheduler reserves for the life of the pod.",
		Impact:  "Reserved CPU or memory that the server never uses.",
		Fix:     "Lower the init container's request below the sum of the containers.",
		Sources: []string{k8sQoS},
		Check: func(c *Case) []Finding {
			var all []Finding
			for _, name := range []string{"cpu", "memory"} {
				var running int64
				for _, container := range c.DB.Pod.Containers {
					if !container.Init || container.Sidecar {
						running += container.Request(name).Value
					}
				}
				for _, container := range c.DB.Pod.Containers {
					if r := container.Request(name); container.Init && !container.Sidecar && running > 0 && r.Value > running {
						all = append(all, confirmed(r.At.Spot(), "init container %s requests more %s than the containers together", container.Name, name).
							fix("set requests.%s to at most the sum of the containers", name))
					}
				}
			}
			return all
		},
	}
}
