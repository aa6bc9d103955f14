package diagnose

func oKB01() Rule {
	return Rule{
		ID: "O-KB-01", Title: "KubeBlocks pods are always Burstable", Severity: Warning, Needs: []Need{needResources()},
		What: "KubeBlocks applies the resources of a component to its first container. The other containers get limits of zero by default, which do not " +
			"count, so the pod is never Guaranteed and gets no exclusive CPUs.",
		Impact: "See K-QOS-03: no exclusive CPUs and a higher OOM score.",
		Fix: "Set clusterDefaultResources with equal requests and limits (50m, 64Mi) in the KubeBlocks chart, and disableExporter: true where the exporter " +
			"is not needed.",
		Sources: []string{kubeblocksCode},
		Check: func(c *Case) []Finding {
			if c.DB.Operator != "KubeBlocks" || c.DB.Server.KeepsFromGuaranteed() {
				return nil
			}
			return list(hint(c.DB.Server.Resources.Spot(), "requests and limits are equal here, but the pod is Burstable: KubeBlocks' other containers have none").
				fix("set clusterDefaultResources in the KubeBlocks chart"))
		},
	}
}
