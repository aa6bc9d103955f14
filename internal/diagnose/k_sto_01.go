package diagnose

import (
	"path"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
)

func kSTO01() Rule {
	return Rule{
		ID: "K-STO-01", Title: "The data directory is not on a persistent volume", Severity: Error, Needs: []Need{needPod()},
		What: "Without a volume at the data directory, files are written through the overlay file system to the node's root disk, together with images and " +
			"logs. The first write to a file from the image copies the whole file, the kubelet's disk-pressure eviction applies, and the data is deleted " +
			"with the container.",
		Impact:  "Data loss when the pod is deleted; contention with images and logs on the root disk.",
		Fix:     "Mount a PersistentVolumeClaim at the data directory (volumeClaimTemplates in a StatefulSet).",
		Sources: []string{overlay, k8sVolumes},
		Check:   checkDataVolume,
		Run:     dataOnLayer,
	}
}

// dataOnLayer reads what the server's own mount table said.
func dataOnLayer(o *Observed) []Finding {
	if o.Spec.Target != "container" {
		return nil
	}
	kind, ok := fact(o.Arm, keys.ContainerDataFilesystem)
	switch {
	case !ok:
		return unread("the file system of the data directory")
	case kind == "tmpfs" || kind == "ramfs": // which is lost as well, and is meant where an experiment asks for it
		return list(unknown("the data directory is on %s, in memory: whether the data may be lost is not known", kind))
	case kind != "overlay":
		return list(ruledOut("the data directory is on %s", kind))
	}
	return list(seen("the data directory is on the container's overlay file system").fix("mount a volume at the data directory").change("{filesystem: volume}"))
}

func checkDataVolume(c *Case) []Finding {
	if o, ok := c.DB.Option("datadir"); ok {
		if manifest.Unresolved(o.Value) != "" {
			return list(unknown("%s=%s: the value is filled in later", "datadir", o.Value))
		}
		return dataAt(c, path.Clean(o.Value)) // a server answers with a slash at the end
	}
	for _, dir := range manifest.DataDirs() {
		if mount, _ := c.DB.Pod.Mount(c.DB.Server, dir); mount.Exists() {
			return dataAt(c, dir)
		}
	}
	if len(c.DB.Server.Value.Get("volumeMounts").Items()) > 0 && !c.knownImage() {
		return list(unknown("the data directory of image %s is unknown", c.DB.Server.Value.Get("image").Text()))
	}
	return dataAt(c, "/var/lib/mysql")
}

// knownImage is whether the image is one of those that keep data where the
// official ones do.
func (c *Case) knownImage() bool {
	name, _ := manifest.SplitImage(c.DB.Server.Value.Get("image").Text())
	return strings.HasSuffix(name, "mysql") || strings.HasSuffix(name, "mariadb") || strings.Contains(name, "percona") || strings.Contains(name, "mysql-server") || strings.Contains(name, "community-server")
}

func dataAt(c *Case, dir string) []Finding {
	mount, volume := c.DB.Pod.Mount(c.DB.Server, dir)
	if !mount.Exists() {
		return list(confirmed(c.server(), "no volume is mounted at %s: the data is on the container's overlay file system and is deleted with it", dir).
			fix("mount a PersistentVolumeClaim at %s", dir))
	}
	// An emptyDir is written with nothing in it, and often without even the braces.
	if slices.ContainsFunc(volume.Fields(), func(f manifest.Field) bool { return f.Key == "emptyDir" }) {
		if volume.Get("emptyDir", "medium").Text() == "Memory" {
			return list(confirmed(volume.Spot(), "the data directory is an emptyDir in memory (tmpfs): it takes from the memory limit, and is deleted with the pod").fix("use a persistentVolumeClaim instead of emptyDir"))
		}
		return list(confirmed(volume.Spot(), "the data directory is an emptyDir: on the node's root disk, and deleted with the pod").fix("use a persistentVolumeClaim instead of emptyDir"))
	}
	return nil
}
