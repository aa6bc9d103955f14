package diagnose

import (
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kOPS06() Rule {
	return Rule{
		ID: "K-OPS-06", Title: "Floating image tag: a restart may change the server version", Severity: Warning, Risk: true, Needs: []Need{needImage()},
		What: "With a tag that moves from release to release (latest or none, 8, 11, lts, innovation), a restart that pulls the image may start another version: with other " +
			"defaults, and with a data upgrade that cannot be reverted.",
		Impact:  "Unplanned upgrades, and measurements that cannot be compared with earlier ones.",
		Fix:     "Use a full version as the tag, or a digest.",
		Sources: []string{mysqlDefaults, "Kubernetes documentation, Images: https://kubernetes.io/docs/concepts/containers/images/"},
		Check:   checkTag,
	}
}

// ofSeries is a tag with two numbers: 8.4, 10.11-jammy.
var ofSeries = regexp.MustCompile(`^v?\d+\.\d+([^.\d]|$)`)

func checkTag(c *Case) []Finding {
	image := c.DB.Image
	name := image.Text()
	if name == "" && c.DB.Operator != "" {
		return nil // the operator's release chooses it
	}
	if name == "" || strings.ContainsAny(name, "$<{") {
		return list(unknown("the image is a template value"))
	}
	_, tag := manifest.SplitImage(name)
	pin := term("use a full version as the tag, or a digest")
	switch {
	case c.DB.Tag != "" && tag != "" && tag != "latest":
		return list(confirmed(image.Spot(), "the tag of image %s moves from release to release: a restart may start another one", name).fix("%s", pin))
	case strings.Contains(name, "@"):
		return nil
	case tag == "" || tag == "latest":
		return list(confirmed(image.Spot(), "image %s has no version: a restart may start another one", name).fix("%s", pin))
	case c.DB.Version.Known() && c.DB.Version.Major < 20 && ofSeries.MatchString(tag): // 26.7 is a release, not a series
		return list(confirmed(image.Spot(), "the tag of image %s names a series and no release: a restart may start another patch release", name).as(Note).fix("%s", pin))
	}
	return nil
}
