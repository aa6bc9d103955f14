package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kCPU04() Rule {
	return Rule{
		ID: "K-CPU-04", Title: "Exclusive CPUs may be halves of cores shared with others", Severity: Note, Needs: []Need{needKubelet()},
		What: "A CPU of Kubernetes is a hardware thread. Without full-pcpus-only, or with an odd number, the other thread of a core may belong to " +
			"another pod, and a busy one takes part of the core.",
		Fix:     "cpuManagerPolicyOptions: {full-pcpus-only: \"true\"} and an even number of CPUs.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			cpu := c.DB.Server.Request("cpu")
			if c.DB.Pod.QoS() != manifest.Guaranteed || cpu.Value%1000 != 0 || c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
				return nil
			}
			full := c.Kubelet.Value.Get("cpuManagerPolicyOptions", "full-pcpus-only")
			if full.Text() != "true" {
				return list(hint(full.Spot(), "CPUs are handed out by hardware thread: the other half of a core may be another pod's").fix("cpuManagerPolicyOptions: {full-pcpus-only: \"true\"}"))
			}
			if cpu.Value/1000%2 == 1 {
				return list(hint(cpu.At.Spot(), "an odd number of CPUs with full-pcpus-only: on a machine with hyper-threads the pod is rejected (SMTAlignmentError)").
					fix("cpu: \"%d\"", max(cpu.Value/1000-1, 2)))
			}
			return nil
		},
	}
}
