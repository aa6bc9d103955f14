package diagnose

func kALC05() Rule {
	return Rule{
		ID: "K-ALC-05", Title: "An init container raises the pod's effective request", Severity: Warning, Needs: []Need{needResources()},
		What: "The effective request of a pod is the larger of its largest init container and the sum of its containers. Sidecars (init containers with " +
			"restartPolicy: Always) count with the containers, and with each init container that starts after them. An init container that requests " +
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
				var sidecars int64 // of those that have started before
				for _, container := range c.DB.Pod.Containers {
					r := container.Request(name)
					switch {
					case container.Sidecar:
						sidecars += r.Value
					case !container.Init || running == 0 || r.Value+sidecars <= running:
					case sidecars > 0:
						all = append(all, confirmed(r.At.Spot(), "init container %s and the sidecars that start before it request more %s than the containers and sidecars together", container.Name, name).
							fix("set requests.%s to at most %s", name, amountText(name, max(running-sidecars, 0))))
					default:
						all = append(all, confirmed(r.At.Spot(), "init container %s requests more %s than the containers together", container.Name, name).
							fix("set requests.%s to at most the sum of the containers", name))
					}
				}
			}
			return all
		},
	}
}
