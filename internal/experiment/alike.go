package experiment

// This file says whether two runs, each on a machine of its own, were of one experiment.

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// perMachine are the settings in which the experiments of two machines may differ: where files are, what a machine
// costs, and how many rounds it measured in which order. A setting holds for those below it; * is any name.
func perMachine() []string {
	return []string{
		"database.image", "database.rootfs", "database.oci", "database.path", "data.directory", "data.each",
		"protocol.rounds", "protocol.precision", "protocol.seed", "protocol.voids", "protocol.aa", "protocol.order", "protocol.ready",
		"protocol.margin", "arms.*.price", "hypotheses",
	}
}

// Difference is the first setting in which two experiments differ as their files have it, with its values; "" where a
// file has it not. Values that are written in another way (60s and 1m) differ. What only says where files are, how many
// rounds are measured and what is claimed of them is left out. The key is "" where there is none, and the error that of
// a file which is no YAML.
func Difference(a, b *Experiment) (key, inA, inB string, err error) {
	x, err := written(a)
	if err != nil {
		return "", "", "", err
	}
	y, err := written(b)
	if err != nil {
		return "", "", "", err
	}
	for _, key := range slices.Sorted(maps.Keys(x)) {
		if x[key] != y[key] {
			return key, x[key], y[key], nil
		}
	}
	for _, key := range slices.Sorted(maps.Keys(y)) {
		if _, known := x[key]; !known {
			return key, "", y[key], nil
		}
	}
	return "", "", "", nil
}

// written are the values of an experiment's file by their path, without those of perMachine.
func written(e *Experiment) (map[string]string, error) {
	var file any
	if err := yaml.Unmarshal(e.Source, &file); err != nil {
		return nil, fmt.Errorf("read the experiment %s again: %w", e.Metadata.Name, err)
	}
	all := map[string]string{}
	flatten("", file, all)
	maps.DeleteFunc(all, func(key, _ string) bool {
		return slices.ContainsFunc(perMachine(), func(pattern string) bool { return below(key, pattern) })
	})
	return all, nil
}

func flatten(path string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, of := range v {
			flatten(strings.TrimPrefix(path+"."+key, "."), of, into)
		}
	case []any:
		for i, of := range v {
			flatten(fmt.Sprintf("%s[%d]", path, i), of, into)
		}
	default:
		into[path] = base(path, fmt.Sprint(v))
	}
}

// index is that of an item of a list.
var index = regexp.MustCompile(`\[\d*\]`)

// base is the value of a setting without the directory that a path is in: each machine has its own.
func base(key, value string) string {
	key = index.ReplaceAllString(key, "")
	for _, f := range PathFields() {
		name := index.ReplaceAllString(f.Name, "")
		setting, ofArm := strings.CutPrefix(name, "arms.NAME")
		before, path, ok := f.split(value)
		if ok && (key == name || ofArm && strings.HasSuffix(key, setting) && !strings.Contains(key, ".config.")) {
			return before + filepath.Base(path)
		}
	}
	return value
}

// below says whether a setting is the one of the pattern or inside it. The name of an arm may have dots.
func below(key, pattern string) bool {
	before, after, any := strings.Cut(pattern, "*")
	if any {
		return strings.HasPrefix(key, before) && strings.HasSuffix(key, after)
	}
	rest, ok := strings.CutPrefix(key, pattern)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
