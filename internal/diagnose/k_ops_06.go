package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kOPS06() Rule {
	return Rule{
		ID: "K-OPS-06", Title: "Floating image tag: a restart may change the server version", Severity: Warning, Needs: []Need{needPod()},
		What: "With a tag that moves from release to release (latest or none, 8, 11, lts, innovation), a restart that pulls the image may start another version: with other " +
			"defaults, and with a data upgrade that cannot be reverted.",
		Impact:  "Unplanned upgrades, and measurements that cannot be compared with earlier ones.",
		Fix:     "Use a full version as the tag, or a digest.",
		Sources: []string{"Kubernetes documentation, Images: https://kubernetes.io/docs/concepts/containers/images/"},
		Check: func(c *Case) []Finding {
			image := c.DB.Server.Value.Get("image")
			name := image.Text()
			if name == "" || strings.ContainsAny(name, "$<{") {
				return list(unknown("the image is a template value"))
			}
			_, tag := manifest.SplitImage(name)
			if c.DB.Tag != "" && tag != "" && tag != "latest" {
				return list(confirmed(image.Spot(), "the tag of image %s moves from release to release: a restart may start another one", name).fix("use a full version as the tag, or a digest"))
			}
			if strings.Contains(name, "@") || tag != "" && tag != "latest" {
				return nil
			}
			return list(confirmed(image.Spot(), "image %s has no version: a restart may start another one", name).fix("use a full version as the tag, or a digest"))
		},
	}
}
