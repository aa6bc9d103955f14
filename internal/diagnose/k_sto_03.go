package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kSTO03() Rule {
	return Rule{
		ID: "K-STO-03", Title: "A hostPath volume is not bound to its node", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "A hostPath volume is the directory at that path on whichever node the pod runs. On another node it is a different, empty directory; with " +
			"DirectoryOrCreate it is created on the root disk. The speed is that of the host's disk.",
		Impact:  "The server starts with an empty data directory after it is scheduled to another node.",
		Fix:     "Use a local PersistentVolume with nodeAffinity, or a nodeSelector on kubernetes.io/hostname with type: Directory.",
		Sources: []string{k8sVolumes, percona2019},
		Check:   checkHostPath,
	}
}

func checkHostPath(c *Case) []Finding {
	for _, dir := range manifest.DataDirs() {
		mount, volume := c.DB.Pod.Mount(c.DB.Server, dir)
		path := volume.Get("hostPath")
		if !mount.Exists() || !path.Exists() {
			continue
		}
		spec := c.DB.Pod.Spec
		kind := path.Get("type")
		bound := c.onOneNode()
		if !bound && (spec.Get("affinity", "nodeAffinity").Exists() || spec.Get("nodeSelector").Exists()) {
			return list(unknown("a node selector or affinity may bind the pod to one node; the files do not show which nodes match"))
		}
		if !bound {
			return list(confirmed(path.Get("path").Spot(), "the data is at %s of any node that the pod is scheduled to", path.Get("path").Text()).
				fix("nodeSelector: {kubernetes.io/hostname: NODE}, or a local PersistentVolume"))
		}
		if kind.Text() == "DirectoryOrCreate" {
			return list(confirmed(kind.Spot(), "type: DirectoryOrCreate creates an empty directory on the root disk if the data disk is not mounted").
				fix("type: Directory").edit(kind.Spot(), "Directory"))
		}
		return nil
	}
	return c.hostPathOfClaim()
}

// hostPathOfClaim is a PersistentVolume with a hostPath that no nodeAffinity binds to a node.
func (c *Case) hostPathOfClaim() []Finding {
	claim, ok := c.DB.DataClaim()
	if !ok {
		return nil
	}
	pv, bound := c.persistentVolume(claim)
	if pv == nil {
		return nil
	}
	path := pv.Value.Get("spec", "hostPath", "path")
	pod := c.DB.Pod.Spec
	if !path.Exists() || pv.Value.Get("spec", "nodeAffinity").Exists() || pod.Get("nodeSelector").Exists() || pod.Get("nodeName").Exists() || pod.Get("affinity", "nodeAffinity").Exists() {
		return nil
	}
	f := confirmed(path.Spot(), "PersistentVolume %s is %s of any node that the pod is scheduled to", pv.Name, path.Text()).fix("a local PersistentVolume with nodeAffinity, instead of hostPath")
	if !bound {
		f.Verdict = Hint
	}
	return list(f)
}
