package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kCPU01() Rule {
	return Rule{
		ID: "K-CPU-01", Title: "The pod could have exclusive CPUs, but the node does not pin", Severity: Warning, Needs: []Need{needKubelet()},
		What: "With the static CPU manager a Guaranteed container with whole CPUs gets them for itself; since Kubernetes 1.33 the quota is then taken " +
			"off as well. With policy none, the default, its threads wander over all CPUs, share them, and are throttled.",
		Fix:     "cpuManagerPolicy: static with some CPU reserved (kubeReserved, systemReserved or reservedSystemCPUs); drain the node, remove cpu_manager_state, restart the kubelet.",
		Sources: []string{k8sCM, quotaPinned},
		Check: func(c *Case) []Finding {
			cpu := c.DB.Server.Request("cpu")
			policy := c.Kubelet.Value.Get("cpuManagerPolicy")
			if c.DB.Pod.QoS() != manifest.Guaranteed || cpu.Value%1000 != 0 || policy.Text() == "static" {
				return nil
			}
			return list(hint(policy.Spot(), "%s is Guaranteed with %s CPUs, and the node shares them with every other pod (cpuManagerPolicy %s)",
				c.DB.Title(), manifest.CPUs(cpu.Value), orNone(policy)).fix("cpuManagerPolicy: static"))
		},
	}
}

func orNone(v manifest.Value) string {
	if v.Text() == "" {
		return "none"
	}
	return v.Text()
}
