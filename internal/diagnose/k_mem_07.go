package diagnose

func kMEM07() Rule {
	return Rule{
		ID: "K-MEM-07", Title: "A memory volume counts against the server's limit", Severity: Warning, Needs: []Need{needPod()},
		What:    "What is written to an emptyDir of medium Memory is charged to the pod. A large sort there, or a backup, ends in an OOM kill of the server.",
		Fix:     "sizeLimit, counted into the memory limit; or a volume on disk for tmpdir.",
		Sources: []string{k8sVolumes},
		Check: func(c *Case) []Finding {
			var all []Finding
			for _, v := range c.DB.Pod.Spec.Get("volumes").Items() {
				medium := v.Get("emptyDir", "medium")
				if medium.Text() != "Memory" || v.Get("emptyDir", "sizeLimit").Exists() {
					continue
				}
				if _, limited := c.DB.MemoryLimit(); !limited {
					all = append(all, unknown("volume %s is memory, and the server has no memory limit to count it against", v.Get("name").Text()))
					continue
				}
				all = append(all, confirmed(medium.Spot(), "volume %s is memory without a size: whatever is written to it is taken from the server's limit", v.Get("name").Text()).
					fix("sizeLimit beside medium, or no medium"))
			}
			return all
		},
	}
}
