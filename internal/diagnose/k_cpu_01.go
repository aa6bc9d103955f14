package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kCPU01() Rule {
	return Rule{
		ID: "K-CPU-01", Title: "CPU manager policy \"none\": a Guaranteed pod gets no exclusive CPUs", Severity: Warning, Needs: []Need{needKubelet()},
		What: "With the static CPU manager policy, a Guaranteed container with a whole number of CPUs gets exclusive CPUs, and from Kubernetes 1.33 on no " +
			"CFS quota. With policy none, the default, its threads share all CPUs with other pods and can be throttled.",
		Impact: "Waiting for a CPU, throttling and cold CPU caches when other pods use the node.",
		Fix: "Set cpuManagerPolicy: static and reserve CPU (kubeReserved, systemReserved or reservedSystemCPUs). Drain the node, stop the kubelet, " +
			"delete cpu_manager_state, and start the kubelet.",
		Sources: []string{k8sCM, quotaPinned},
		Check: func(c *Case) []Finding {
			cpu := c.DB.Server.Request("cpu")
			policy := c.Kubelet.Value.Get("cpuManagerPolicy")
			if !wholeCPUs(c) || policy.Text() == "static" {
				return nil
			}
			return list(hint(policy.Spot(), "%s is Guaranteed with a CPU limit of %s, but shares its CPUs with all pods on the node (cpuManagerPolicy: %s)",
				c.DB.Title(), manifest.CPUs(cpu.Value), orNone(policy)).fix("cpuManagerPolicy: static, with reserved CPU"))
		},
	}
}

// wholeCPUs is whether the static CPU manager would give the server exclusive CPUs: its own request is a
// whole number, and the resources are not those of the pod as a whole (K-QOS-06).
func wholeCPUs(c *Case) bool {
	cpu := c.DB.Server.Request("cpu")
	return c.DB.Pod.QoS() == manifest.Guaranteed && !c.DB.Pod.Resources.Exists() && cpu.Positive() && cpu.Value%1000 == 0
}

func orNone(v manifest.Value) string {
	if v.Text() == "" {
		return "none"
	}
	return v.Text()
}
