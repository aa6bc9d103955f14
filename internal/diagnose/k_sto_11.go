package diagnose

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kSTO11() Rule {
	return Rule{
		ID: "K-STO-11", Title: "Logs or temporary files of the server are in an emptyDir", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "An emptyDir is deleted with its pod. A binary log or relay log in it is lost when the pod is moved, and with it point-in-time recovery and what " +
			"replicas have not read. Without sizeLimit a large sort in tmpdir fills the node's disk, and the kubelet evicts pods. " +
			"With limits.ephemeral-storage it evicts the pod whose container and emptyDir volumes hold more.",
		Impact:  "Lost transactions for replicas and recovery; eviction of the pod.",
		Fix:     "Put binary and relay logs on a PersistentVolume. Give an emptyDir for tmpdir a sizeLimit.",
		Sources: []string{k8sVolumes, mysqlBinlog},
		Check:   checkTemporary,
	}
}

func checkTemporary(c *Case) []Finding {
	var all []Finding
	for _, name := range []string{"log_bin", "relay_log", "innodb_log_group_home_dir", "innodb_undo_directory", "tmpdir", "innodb_tmpdir"} {
		o, set := c.DB.Option(name)
		if !set || !strings.HasPrefix(o.Value, "/") {
			continue
		}
		_, volume := c.DB.Pod.Mount(c.DB.Server, o.Value)
		switch temporary := strings.HasSuffix(name, "tmpdir"); {
		case !isEmptyDir(volume):
		case !temporary:
			all = append(all, confirmed(o.Spot, "%s=%s is in the emptyDir %s, which is deleted with the pod", name, o.Value, volume.Get("name").Text()).as(Error).fix("use a persistentVolumeClaim instead of emptyDir"))
		case !volume.Get("emptyDir", "sizeLimit").Exists() && volume.Get("emptyDir", "medium").Text() != "Memory":
			all = append(all, confirmed(o.Spot, "%s=%s is in the emptyDir %s without sizeLimit: a large sort can fill the node's disk", name, o.Value, volume.Get("name").Text()).as(Note).fix("set sizeLimit"))
		}
	}
	return append(all, limitedStorage(c)...)
}

// isEmptyDir is also true of "emptyDir:" without a value.
func isEmptyDir(volume manifest.Value) bool {
	return slices.ContainsFunc(volume.Fields(), func(f manifest.Field) bool { return f.Key == "emptyDir" })
}

// limitedStorage is a limit of the container's own storage that the server's temporary files count against: they
// are in the container's file system or in an emptyDir on disk, where tmpdir is no volume of another kind.
func limitedStorage(c *Case) []Finding {
	limit := c.DB.Server.Limit("ephemeral-storage")
	if !limit.Positive() {
		return nil
	}
	dir, why := c.setting("tmpdir")
	if !why.empty() {
		return list(unknown("%s", why))
	}
	path := "/tmp"
	if strings.HasPrefix(dir.Value, "/") {
		path = dir.Value
	}
	_, volume := c.DB.Pod.Mount(c.DB.Server, path)
	if volume.Exists() && (!isEmptyDir(volume) || volume.Get("emptyDir", "medium").Text() == "Memory") {
		return nil
	}
	return list(confirmed(limit.At.Spot(), "limits.ephemeral-storage is %s, and temporary files of the server in %s count against it: above it the kubelet evicts the pod", limit.At.Text(), path).
		as(Note).fix("put tmpdir on a PersistentVolume, or leave the limit out"))
}
