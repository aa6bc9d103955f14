package diagnose

func kALC05() Rule {
	return Rule{
		ID: "K-ALC-05", Title: "An init container makes the pod ask for more than it uses", Severity: Warning, Needs: []Need{needResources()},
		What: "The scheduler reserves the largest moment of a pod's life. An init container that requests more than the containers together do " +
			"raises what is reserved for good.",
		Fix:     "Lower the init container's request to below the sum of the containers.",
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
							fix("requests.%s below that sum", name))
					}
				}
			}
			return all
		},
	}
}
