package diagnose

func oKB01() Rule {
	return Rule{
		ID: "O-KB-01", Title: "KubeBlocks makes Burstable pods whatever is asked", Severity: Warning, Needs: []Need{needResources()},
		What: "The resources of a component go to its first container; the others get limits of zero by default, which do not count, so that the pod is " +
			"never Guaranteed and gets no exclusive CPUs.",
		Fix:     "In KubeBlocks' own chart clusterDefaultResources with equal requests and limits (50m, 64Mi), and disableExporter: true where the exporter is not needed.",
		Sources: []string{kubeblocksCode},
		Check: func(c *Case) []Finding {
			if c.DB.Operator != "KubeBlocks" || c.DB.Server.KeepsFromGuaranteed() {
				return nil
			}
			return list(hint(c.DB.Server.Resources.Spot(), "equal requests and limits here, and the pod is Burstable all the same: KubeBlocks' other containers have none").
				fix("clusterDefaultResources in KubeBlocks' chart"))
		},
	}
}
