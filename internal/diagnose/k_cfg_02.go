package diagnose

import (
	"strings"
)

func kCFG02() Rule {
	return Rule{
		ID: "K-CFG-02", Title: "ConfigMap changes do not reach the server (subPath mount)", Severity: Note, Risk: true, Needs: []Need{needPod()},
		What:    "A file mounted with subPath is not updated when the ConfigMap changes. mysqld also reads its option files only at start.",
		Impact:  "Configuration changes have no effect until someone restarts the pod.",
		Fix:     "Put a checksum of the ConfigMap into the pod template's annotations, so that a change restarts the pods; or mount the whole directory.",
		Sources: []string{k8sVolumes},
		Check: func(c *Case) []Finding {
			for _, m := range c.DB.Server.Value.Get("volumeMounts").Items() {
				v := c.DB.Pod.Volume(m.Get("name").Text())
				if !strings.HasSuffix(m.Get("mountPath").Text(), ".cnf") || !m.Get("subPath").Exists() {
					continue
				}
				if !v.Exists() {
					return list(unknown("volume %s is not in the pod template", m.Get("name").Text()))
				}
				if !v.Get("configMap").Exists() || hasChecksum(c) {
					continue
				}
				return list(hint(m.Get("subPath").Spot(), "%s is mounted with subPath, and nothing restarts the pod when ConfigMap %s changes", m.Get("mountPath").Text(), v.Get("configMap", "name").Text()).
					fix("add a checksum of the ConfigMap to the pod template's annotations"))
			}
			return nil
		},
	}
}

func hasChecksum(c *Case) bool {
	for _, f := range c.DB.Pod.Meta.Get("annotations").Fields() {
		if strings.Contains(f.Key, "checksum") || strings.Contains(f.Key, "hash") || strings.Contains(f.Key, "reloader") {
			return true
		}
	}
	return false
}
