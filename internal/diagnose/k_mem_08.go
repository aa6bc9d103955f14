package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kMEM08() Rule {
	return Rule{
		ID: "K-MEM-08", Title: "Huge pages are configured only in MySQL or only in the pod", Severity: Warning, Needs: []Need{needPod(), needResources()},
		What: "A container that requests no huge pages gets none, so large_pages=ON falls back to normal pages with a warning. Huge pages that are " +
			"requested but not used still reduce the node's memory.",
		Impact:  "No benefit from large_pages, or memory that nothing can use.",
		Fix:     "Request limits.hugepages-2Mi that hold the buffer pool and what InnoDB allocates with it, with large_pages=ON and vm.nr_hugepages on the node; or use neither. The error log says if they are too few.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			s, why := c.setting("large_pages")
			pages := c.DB.Server.Resources.Get("limits", "hugepages-2Mi")
			if !pages.Exists() {
				pages = c.DB.Server.Resources.Get("limits", "hugepages-1Gi")
			}
			volume := c.volumeOfHugePages()
			switch {
			case why.empty() && !manifest.IsOn(s.Value) && !pages.Exists() && volume.Exists():
				return list(confirmed(volume.Spot(), "a volume of huge pages (medium: %s) is mounted, but the server does not use huge pages (large_pages=OFF)", volume.Text()).fix("no such volume: InnoDB takes huge pages through large_pages and needs none"))
			case !why.empty() && pages.Exists():
				return list(unknown("%s", why))
			case !why.empty():
				return nil
			case manifest.IsOn(s.Value) && !pages.Exists():
				return list(confirmed(s.At, "large_pages=%s, but the container requests no huge pages and gets none", s.Value).fix("limits.hugepages-2Mi, or large_pages=OFF"))
			case !manifest.IsOn(s.Value) && pages.Exists():
				return list(confirmed(pages.Spot(), "huge pages are requested, but the server does not use them (large_pages=OFF)").fix("large_pages=ON in %s, or no huge pages", c.configIn()))
			}
			return nil
		},
	}
}

// volumeOfHugePages is the medium of an emptyDir of huge pages that the server's container mounts. Kubernetes admits
// none without limits of huge pages in the pod.
func (c *Case) volumeOfHugePages() manifest.Value {
	for _, v := range c.DB.Pod.Spec.Get("volumes").Items() {
		if medium := v.Get("emptyDir", "medium"); strings.HasPrefix(medium.Text(), "HugePages") && c.DB.Writes(v.Get("name").Text()) {
			return medium
		}
	}
	return manifest.Value{}
}
