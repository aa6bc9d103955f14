package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kSTO10() Rule {
	return Rule{
		ID: "K-STO-10", Title: "The data directory is on a network file system, on hard disks, or on a volume that several nodes can mount", Severity: Warning, Needs: []Need{needAny()},
		What: "On NFS, EFS, CephFS or Azure Files every fsync and every file that is created is a request to another server, and InnoDB's file lock depends on " +
			"it. Hard disks make some hundred operations a second. A volume with ReadWriteMany can be mounted by two pods, and two servers on one data " +
			"directory corrupt it where the file lock does not work.",
		Impact:  "Slow commits and minutes for the initialisation; data corruption where two servers open the same files.",
		Fix:     "Use a block volume on solid-state disks (for example RBD, EBS gp3, Azure Premium SSD, pd-ssd) with accessModes: [ReadWriteOnce] or [ReadWriteOncePod].",
		Sources: []string{k8sVolumes, mysqlDisk, ebsParameters},
		Check:   checkVolumeKind,
	}
}

var (
	// networkDrivers are the CSI drivers and provisioners of file systems of other machines, by their documentation.
	networkDrivers = regexp.MustCompile(`(?i)(^|[./-])(efs|nfs|cephfs|smb|glusterfs|filestore|azure-?file|fsx|lustre)([./-]|$)|^file\.csi\.azure\.com$|^kubernetes\.io/azure-file$`)
	// hardDisks are the types of volumes on hard disks: EBS, Compute Engine, Azure.
	hardDisks = []string{"st1", "sc1", "standard", "pd-standard", "standard_lrs", "standard_zrs", "standardhdd_lrs"}
	diskOf    = regexp.MustCompile(`ebs|pd\.csi|gce-pd|disk`)
)

// networkVolumes are the sources of a volume that are file systems of other machines.
func networkVolumes() []string {
	return []string{"nfs", "cephfs", "glusterfs", "azureFile"}
}

func checkVolumeKind(c *Case) []Finding {
	if c.DB.Pod == nil {
		return nil
	}
	for _, dir := range manifest.DataDirs() {
		_, volume := c.DB.Pod.Mount(c.DB.Server, dir)
		for _, kind := range networkVolumes() {
			if volume.Get(kind).Exists() {
				return list(onNetwork(volume.Get(kind).Spot(), kind))
			}
		}
	}
	claim, ok := c.DB.DataClaim()
	if !ok {
		return nil
	}
	all := c.kindOfVolume(claim)
	for _, mode := range claim.Value.Get("accessModes").Items() {
		if mode.Text() == "ReadWriteMany" {
			all = append(all, confirmed(mode.Spot(), "the claim of the data is ReadWriteMany: a second pod can open the same files").fix("accessModes: [ReadWriteOnce]"))
		}
	}
	return all
}

func onNetwork(at manifest.Spot, what string) Finding {
	return confirmed(at, "the data directory is on a file system of another machine (%s)", what).fix("use a StorageClass of block volumes")
}

// kindOfVolume judges the class of the claim, and the PersistentVolume that it takes.
func (c *Case) kindOfVolume(claim manifest.Claim) []Finding {
	if pv, bound := c.persistentVolume(claim); pv != nil {
		if f, on := networkOf(pv.Value.Get("spec")); on {
			if !bound {
				f.Verdict = Hint // another volume of the class may be there
			}
			return list(f)
		}
	}
	class := c.class()
	if class == nil {
		if name := claim.Class.Text(); networkDrivers.MatchString(name) {
			return list(hint(claim.Class.Spot(), "StorageClass %s is not in the files, and its name is that of a file system of another machine", name).fix("use a StorageClass of block volumes"))
		} else if name != "" {
			return list(unknown("StorageClass %s is not in the files", name))
		}
		return nil // the cluster's default: K-STO-04 says that it is not known
	}
	provisioner, kind := class.Value.Get("provisioner"), parameter(class, "type")
	if !kind.Exists() {
		kind = parameter(class, "skuName")
	}
	switch {
	case networkDrivers.MatchString(provisioner.Text()):
		return list(onNetwork(provisioner.Spot(), provisioner.Text()))
	case diskOf.MatchString(provisioner.Text()) && slices.Contains(hardDisks, strings.ToLower(kind.Text())):
		return list(confirmed(kind.Spot(), "StorageClass %s makes volumes on hard disks (%s)", class.Name, kind.Text()).fix("use a type of solid-state disks"))
	}
	return nil
}

// networkOf is the finding for a PersistentVolume on a file system of another machine.
func networkOf(spec manifest.Value) (f Finding, on bool) {
	for _, kind := range networkVolumes() {
		if spec.Get(kind).Exists() {
			return onNetwork(spec.Get(kind).Spot(), kind), true
		}
	}
	if driver := spec.Get("csi", "driver"); networkDrivers.MatchString(driver.Text()) {
		return onNetwork(driver.Spot(), driver.Text()), true
	}
	return Finding{}, false
}

// persistentVolume is the one of the files that a claim takes, and whether the two name each other; else it is one that
// the claim would be given: of its class, and large enough. nil where there is none.
func (c *Case) persistentVolume(claim manifest.Claim) (pv *manifest.Object, bound bool) {
	for _, o := range c.Set.All("PersistentVolume") {
		spec := o.Value.Get("spec")
		ref := spec.Get("claimRef", "name").Text()
		if o.Name == claim.Value.Get("volumeName").Text() || ref != "" && (ref == claim.Object || strings.HasPrefix(ref, claim.Name+"-"+c.DB.Object.Name+"-")) {
			return o, true
		}
		size := spec.Get("capacity", "storage").Amount("storage")
		if pv == nil && ref == "" && claim.Value.Get("volumeName").Text() == "" && claim.Class.Text() != "" && spec.Get("storageClassName").Text() == claim.Class.Text() &&
			size.Value >= claim.Size.Value && labelled(o, claim.Value.Get("selector")) {
			pv = o
		}
	}
	return pv, false
}

// labelled is whether an object has the labels of a selector; one with expressions is taken to match.
func labelled(o *manifest.Object, selector manifest.Value) bool {
	for _, f := range selector.Get("matchLabels").Fields() {
		if o.Value.Get("metadata", "labels", f.Key).Text() != f.Text() {
			return false
		}
	}
	return true
}
