package manifest

// This file reads what is known of images with a server from images.yaml.

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/operator"
)

// Names of families in images.yaml whose MySQL servers are as Oracle builds them.
const (
	officialImages = "official"
	oracleImages   = "oracle"
)

// family is what images of one maker have in common; images.yaml says what the fields are.
type family struct {
	Name, Pattern string
	Sets          []operator.Setting
	Variables     map[string]string
	Flags         []string
	Tuned         map[string]int64
	Untuned       map[string]string
	Hides         bool
	Unless        string
	Sources       []string
	matches       *regexp.Regexp
}

//go:embed images.yaml
var familiesText []byte

// families are those of images.yaml, read once: a test reads them all.
var families = sync.OnceValue(func() []family {
	var file struct{ Families []family }
	if err := yaml.UnmarshalStrict(familiesText, &file); err != nil {
		panic(fmt.Errorf("read images.yaml: %w", err)) // it is in the program
	}
	for i := range file.Families {
		file.Families[i].matches = regexp.MustCompile(file.Families[i].Pattern)
	}
	return file.Families
})

// familyOf is the family of an image; ok is false for an image that is not listed.
func familyOf(image string) (f family, ok bool) {
	name, _ := SplitImage(strings.ToLower(image))
	if host, rest, has := strings.Cut(name, "/"); has && strings.ContainsAny(host, ".:") {
		name = rest
	}
	for _, f := range families() {
		if f.matches.MatchString(name) {
			return f, true
		}
	}
	return family{}, false
}

// setsByVariable is whether the environment can set options of the image's servers.
func (f family) setsByVariable() bool { return len(f.Variables)+len(f.Flags) > 0 }

// ofImage adds what the server's image sets by itself.
func (d *Database) ofImage() {
	image := d.Server.Value.Get("image").Text()
	f, known := familyOf(image)
	d.family = f
	if !known {
		if image != "" {
			d.Config.Missing = append(d.Config.Missing, said("image %s may have an option file of its own", image))
		}
		return
	}
	for _, set := range f.Sets {
		set.Why = said("the image's own option file").String()
		d.presets = append(d.presets, set)
	}
	d.tunedByImage()
	if f.Hides && (f.Unless == "" || !d.mountsFile(f.Unless)) {
		d.Config.Missing = append(d.Config.Missing, said("the option files of image %s are not in the files", image))
	}
}

// tunedByImage are the presets that an image computes from the memory limit.
func (d *Database) tunedByImage() {
	limit, limited := d.MemoryLimit()
	for _, name := range slices.Sorted(maps.Keys(d.family.Tuned)) {
		preset := operator.Setting{Option: name, Value: d.family.Untuned[name], Why: said("the image's own option file").String()}
		if limited {
			preset.Value, preset.Why = MySize(limit*d.family.Tuned[name]/100), said("the image computes it from the memory limit").String()
		}
		d.presets = append(d.presets, preset)
	}
}

// mountsFile is whether the server mounts a file of that name, or the directory that has it.
func (d *Database) mountsFile(name string) bool {
	for _, m := range d.Server.Value.Get("volumeMounts").Items() {
		at := m.Get("mountPath").Text()
		if strings.HasSuffix(at, "/"+name) || isConfigPath(at) && m.Get("subPath").Text() == "" {
			return true
		}
	}
	return false
}
