package main

// `tare version` and what a build knows of itself.

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/podprogram"
)

// version is set by release builds and by make, from the tag
// (-ldflags "-X main.version=1.2.3").
var version = ""

// unreleased is the version of a build that knows no tag. Semantic Versioning 2.0.0
// sorts it below every release.
const unreleased = "0.0.0-dev"

// semantic is https://semver.org, as far as tags and Go's pseudo-versions use it.
var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// buildInfo is what `tare version` prints.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// PodPrograms are the platforms whose programs for pods this build brings.
	PodPrograms []string `json:"pod_programs,omitempty"`
}

func versionVerb(t *terminal) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: "Print the semantic version of this build. With --format json, also the Git revision, the Go version, the\n" +
			"platform, and the platforms of nodes that this build brings a small program for.",
		Example: "  tare version\n  tare version -o json",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if format == "json" {
				return printJSON(t, thisBuild())
			}
			_, err := fmt.Fprintln(t.out, versionString())
			return err
		},
	}
	formatFlag(c, &format, "text", "json")
	return c
}

// versionString is the semantic version without a leading v.
func versionString() string {
	if version != "" {
		return strings.TrimPrefix(version, "v")
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unreleased
	}
	// `go install ...@v1.2.3` knows the tag, and go build in a clone makes a
	// pseudo-version of tag and revision.
	if v := strings.TrimPrefix(info.Main.Version, "v"); semantic.MatchString(v) {
		return v
	}
	if r := revision(info); r != "" {
		return unreleased + "+" + r[:min(len(r), 12)]
	}
	return unreleased
}

func revision(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func thisBuild() buildInfo {
	b := buildInfo{Version: versionString(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Revision = revision(info)
	}
	for _, arch := range podprogram.Architectures() {
		b.PodPrograms = append(b.PodPrograms, "linux/"+arch)
	}
	return b
}
