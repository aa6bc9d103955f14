package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kOPS06() Rule {
	return Rule{
		ID: "K-OPS-06", Title: "A restart may bring another server version", Severity: Warning, Needs: []Need{needPod()},
		What: "A tag that moves (latest, or none) with imagePullPolicy Always, the default for latest, may start another version after any restart: other " +
			"defaults, an upgrade of the data that cannot be undone, and no comparison with yesterday's figures.",
		Fix:     "A full version, or a digest.",
		Sources: []string{"Kubernetes documentation, Images: https://kubernetes.io/docs/concepts/containers/images/"},
		Check: func(c *Case) []Finding {
			image := c.DB.Server.Value.Get("image")
			name := image.Text()
			if name == "" || strings.ContainsAny(name, "$<{") {
				return list(unknown("the image is filled in elsewhere"))
			}
			_, tag := manifest.SplitImage(name)
			if strings.Contains(name, "@") || tag != "" && tag != "latest" {
				return nil
			}
			return list(confirmed(image.Spot(), "image %s names no version: a restart may bring another", name).fix("a full version as the tag, or a digest"))
		},
	}
}
