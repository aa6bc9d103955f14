package diagnose

func kMEM07() Rule {
	return Rule{
		ID: "K-MEM-07", Title: "A tmpfs volume without sizeLimit counts against the memory limit", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "Data written to an emptyDir with medium: Memory is charged to the pod's memory. A large sort or a backup in this volume can get the server " +
			"OOM-killed.",
		Impact:  "An OOM kill with crash recovery.",
		Fix:     "Set sizeLimit and include it in the memory limit, or use a volume on disk for tmpdir.",
		Sources: []string{k8sVolumes},
		Check: func(c *Case) []Finding {
			var all []Finding
			for _, v := range c.DB.Pod.Spec.Get("volumes").Items() {
				medium := v.Get("emptyDir", "medium")
				if medium.Text() != "Memory" || v.Get("emptyDir", "sizeLimit").Exists() || !c.DB.Writes(v.Get("name").Text()) {
					continue // what another container writes is charged to that container
				}
				if _, limited := c.DB.MemoryLimit(); !limited {
					all = append(all, unknown("volume %s is a tmpfs, and the server has no memory limit to compare it with", v.Get("name").Text()))
					continue
				}
				all = append(all, confirmed(medium.Spot(), "volume %s is a tmpfs without sizeLimit: its data counts against the server's memory limit", v.Get("name").Text()).
					fix("set sizeLimit, or remove medium: Memory"))
			}
			return all
		},
	}
}
