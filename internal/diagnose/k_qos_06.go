package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kQOS06() Rule {
	return Rule{
		ID: "K-QOS-06", Title: "Pod-level resources disable exclusive CPUs", Severity: Warning, Needs: []Need{needResources()},
		What: "The static CPU and memory managers skip pods whose resources are set in spec.resources (unless the alpha feature gate " +
			"PodLevelResourceManagers is enabled), and the CFS quota remains. The pod is still shown as Guaranteed.",
		Impact:  "The server shares CPUs with other pods and can be throttled, although the node has the static CPU manager.",
		Fix:     "Set the resources on the containers, with a whole number of CPUs on the server's container.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			if !c.DB.Pod.Resources.Exists() || c.DB.Pod.QoS() != manifest.Guaranteed {
				return nil
			}
			if c.Kubelet == nil {
				return list(unknown("no KubeletConfiguration in the files: the CPU manager policy is unknown"))
			}
			if c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
				return nil
			}
			return list(confirmed(c.DB.Pod.Resources.Spot(), "the node assigns exclusive CPUs (cpuManagerPolicy: static), but not to pods with spec.resources").
				fix("set the same values as resources of the containers"))
		},
	}
}
