package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kCPU03() Rule {
	return Rule{
		ID: "K-CPU-03", Title: "Before Kubernetes 1.33 exclusive CPUs are throttled all the same", Severity: Warning, Needs: []Need{needNode(), needKubelet()},
		What:    "A container with N exclusive CPUs keeps a quota of N, without any slack for what is stranded in slices. Since 1.33 the kubelet takes the quota off.",
		Fix:     "A kubelet of 1.33 or later, or cpuCFSQuota: false on nodes for databases.",
		Sources: []string{quotaPinned, k8sCM},
		Check: func(c *Case) []Finding {
			cpu := c.DB.Server.Request("cpu")
			if c.DB.Pod.QoS() != manifest.Guaranteed || cpu.Value%1000 != 0 || c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
				return nil
			}
			v, ok := kernelVersion(c.Node.Info("kubeletVersion"))
			if !ok {
				return list(unknown("%s does not say its kubelet's version", c.Node.Object.Name))
			}
			if !older(v, 1, 33) || c.Kubelet.Value.Get("cpuCFSQuota").Text() == "false" {
				return nil
			}
			return list(confirmed(cpu.At.Spot(), "kubelet %s pins these CPUs and throttles them too", c.Node.Info("kubeletVersion")).
				fix("a kubelet of 1.33 or later, or cpuCFSQuota: false"))
		},
	}
}
