package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kQOS06() Rule {
	return Rule{
		ID: "K-QOS-06", Title: "Pod-level resources switch off exclusive CPUs", Severity: Warning, Needs: []Need{needResources()},
		What: "The static CPU and memory managers leave out pods whose resources are set for the pod as a whole (unless the alpha gate " +
			"PodLevelResourceManagers is on), and the quota stays. The pod still shows Guaranteed.",
		Fix:     "Set resources on the containers, a whole number of CPUs on the server's.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			if !c.DB.Pod.Resources.Exists() || c.DB.Pod.QoS() != manifest.Guaranteed {
				return nil
			}
			if c.Kubelet == nil {
				return list(unknown("no KubeletConfiguration is among the files: whether the node pins is not known"))
			}
			if c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
				return nil
			}
			return list(confirmed(c.DB.Pod.Resources.Spot(), "the node pins CPUs (cpuManagerPolicy: static), but not for pods with spec.resources").
				fix("the same figures as resources of the containers"))
		},
	}
}
