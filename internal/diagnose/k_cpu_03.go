package diagnose

func kCPU03() Rule {
	return Rule{
		ID: "K-CPU-03", Title: "Exclusive CPUs are still throttled (kubelet before 1.33)", Severity: Warning, Needs: []Need{needNode(), needKubelet()},
		What: "Before Kubernetes 1.33, a container with N exclusive CPUs keeps a CFS quota of N CPUs, without slack for quota that is left unused in " +
			"per-CPU slices. From 1.33 on the kubelet removes the quota.",
		Impact:  "Throttling of a server that has its CPUs to itself.",
		Fix:     "Upgrade the kubelet to 1.33 or later, or set cpuCFSQuota: false on database nodes.",
		Sources: []string{quotaPinned, k8sCM},
		Check: func(c *Case) []Finding {
			cpu := c.DB.Server.Request("cpu")
			if !wholeCPUs(c) || c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
				return nil
			}
			v, ok := kernelVersion(c.Node.Info("kubeletVersion"))
			if !ok {
				return list(unknown("%s has no status.nodeInfo.kubeletVersion", c.Node.Object.Name))
			}
			if !older(v, 1, 33) || c.Kubelet.Value.Get("cpuCFSQuota").Text() == "false" {
				return nil
			}
			return list(confirmed(cpu.At.Spot(), "kubelet %s assigns exclusive CPUs and still throttles them", c.Node.Info("kubeletVersion")).
				fix("upgrade the kubelet to 1.33 or later, or set cpuCFSQuota: false"))
		},
	}
}
