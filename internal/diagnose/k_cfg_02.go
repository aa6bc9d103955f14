package diagnose

import (
	"strings"
)

func kCFG02() Rule {
	return Rule{
		ID: "K-CFG-02", Title: "A changed ConfigMap never reaches the server", Severity: Note, Needs: []Need{needPod()},
		What:    "A file mounted by subPath is copied when the container starts and never again; mysqld reads its options at its start in any case.",
		Fix:     "A checksum of the ConfigMap in the pod template's annotations, so that a change restarts the pods; or a mount of the whole directory.",
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
				return list(hint(m.Get("subPath").Spot(), "%s is mounted by subPath and nothing restarts the pod when ConfigMap %s changes", m.Get("mountPath").Text(), v.Get("configMap", "name").Text()).
					fix("a checksum of the ConfigMap in the template's annotations"))
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
