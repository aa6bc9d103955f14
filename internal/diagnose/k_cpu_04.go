package diagnose

func kCPU04() Rule {
	return Rule{
		ID: "K-CPU-04", Title: "Exclusive CPUs may share a physical core with another pod (hyper-threading)", Severity: Note, Needs: []Need{needKubelet()},
		What: "A CPU in Kubernetes is a hardware thread. Without full-pcpus-only, or with an odd number of CPUs, the sibling thread of a core may be " +
			"assigned to another pod. A busy sibling takes part of the core's capacity.",
		Impact:  "Lower and less stable throughput for the server on that core.",
		Fix:     "Set cpuManagerPolicyOptions: {full-pcpus-only: \"true\"} and request an even number of CPUs.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			cpu := c.DB.Server.Request("cpu")
			if !wholeCPUs(c) || c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
				return nil
			}
			full := c.Kubelet.Value.Get("cpuManagerPolicyOptions", "full-pcpus-only")
			if full.Text() != "true" {
				return list(hint(full.Spot(), "CPUs are assigned per hardware thread: the sibling thread of a core may belong to another pod").fix("cpuManagerPolicyOptions: {full-pcpus-only: \"true\"}"))
			}
			if cpu.Value/1000%2 == 1 {
				return list(hint(cpu.At.Spot(), "an odd number of CPUs with full-pcpus-only: on a machine with hyper-threading the pod never starts (SMTAlignmentError)").as(Error).
					fix("cpu: \"%d\"", max(cpu.Value/1000-1, 2)))
			}
			return nil
		},
	}
}
