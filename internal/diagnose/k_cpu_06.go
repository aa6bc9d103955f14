package diagnose

func kCPU06() Rule {
	return Rule{
		ID: "K-CPU-06", Title: "Invalid CPU manager configuration: the kubelet does not start", Severity: Error, Needs: []Need{needKubelet()},
		What: "Some options of the static CPU manager policy exclude each other. The static policy also requires reserved CPU. The kubelet refuses to start " +
			"with an invalid configuration.",
		Impact: "The node does not become Ready.",
		Fix: "Set only one of two options that exclude each other, such as full-pcpus-only for one large server on a node. " +
			"Reserve CPU with kubeReserved, systemReserved or reservedSystemCPUs.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			k := c.Kubelet.Value
			if k.Get("cpuManagerPolicy").Text() != "static" {
				return nil
			}
			options := k.Get("cpuManagerPolicyOptions")
			for _, pair := range [][2]string{
				{"distribute-cpus-across-cores", "full-pcpus-only"}, {"distribute-cpus-across-cores", "distribute-cpus-across-numa"},
				{"distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache"}, {"distribute-cpus-across-numa", "prefer-align-cpus-by-uncorecache"},
			} {
				if options.Get(pair[0]).IsTrue() && options.Get(pair[1]).IsTrue() {
					return list(confirmed(options.Get(pair[0]).Spot(), "%s excludes %s: the kubelet does not start", pair[0], pair[1]).fix("set only one of the two"))
				}
			}
			if !k.Get("kubeReserved", "cpu").Exists() && !k.Get("systemReserved", "cpu").Exists() && !k.Get("reservedSystemCPUs").Exists() {
				return list(confirmed(k.Get("cpuManagerPolicy").Spot(), "static policy without reserved CPU: the kubelet does not start").fix("kubeReserved: {cpu: 500m}"))
			}
			return nil
		},
	}
}
