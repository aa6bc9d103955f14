package diagnose

import (
	"fmt"

	"github.com/tarebench/tare/internal/manifest"
)

func kCPU02() Rule {
	return Rule{
		ID: "K-CPU-02", Title: "Fractional CPU request: no exclusive CPUs", Severity: Warning, Needs: []Need{needResources()},
		What: "The static CPU manager assigns exclusive CPUs only to Guaranteed containers with a whole number of CPUs. With 55500m the container stays in " +
			"the shared pool and keeps its CFS quota.",
		Impact:  "The server shares CPUs with other pods and can be throttled.",
		Fix:     "Use the whole number below as request and limit.",
		Sources: []string{k8sCM},
		Check:   checkFraction,
	}
}

func checkFraction(c *Case) []Finding {
	cpu := c.DB.Server.Request("cpu")
	if c.DB.Pod.QoS() != manifest.Guaranteed || cpu.Value%1000 == 0 || cpu.Value < 1000 {
		return nil
	}
	if c.Kubelet != nil && c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
		return nil // K-CPU-01 says what is in the way first
	}
	if c.Kubelet == nil && c.DB.Pod.Resources.Exists() {
		return list(unknown("the resources are set for the whole pod (K-QOS-06)"))
	}
	n := cpu.Value / 1000
	if c.Kubelet != nil && c.Kubelet.Value.Get("cpuManagerPolicyOptions", "full-pcpus-only").Text() == "true" && n%2 == 1 {
		n = max(n-1, 2) // K-CPU-04
	}
	whole := fmt.Sprint(n)
	if c.Kubelet == nil { // without exclusive CPUs the smaller number is only a smaller quota
		return list(hint(cpu.At.Spot(), "%s gets no exclusive CPUs if the node's CPU manager policy is static: they need a whole number", cpu.At.Text()).
			fix("cpu: %q as request and limit, on a node with the policy static", whole))
	}
	f := confirmed(cpu.At.Spot(), "%s gets no exclusive CPUs: they need a whole number", cpu.At.Text()).fix("cpu: %q as request and limit", whole)
	for _, kind := range []string{"requests", "limits"} {
		f = f.edit(c.DB.Server.Resources.Get(kind, "cpu").Spot(), whole)
	}
	return list(f)
}
