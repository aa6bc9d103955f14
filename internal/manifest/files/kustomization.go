package files

// This file builds Kustomizations: what their directories hold is parts, and only what kustomize makes of
// them is a manifest.

import (
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/tarebench/tare/internal/manifest"
)

// Unbuilt is a Kustomization that cannot be built here.
type Unbuilt struct {
	File, Title string
	Err         error
}

// Build builds the Kustomizations of the named files and directories. rest are the files to read as they
// are: those that no named Kustomization is beside or above.
func Build(names []string) (rest []string, built []manifest.Source, unbuilt []Unbuilt) {
	var dirs []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case name == "-" || err != nil:
		case !info.IsDir() && slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(name)):
			dirs = append(dirs, filepath.Dir(name))
			continue
		case info.IsDir():
			if below := kustomizations(name); len(below) > 0 {
				dirs = append(dirs, below...)
				rest = append(rest, besides(name, below)...)
				continue
			}
		}
		rest = append(rest, name)
	}
	rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(dirs, filepath.Dir(name)) })
	for _, dir := range outermost(dirs) {
		file := filepath.Join(dir, fileOf(dir))
		text, err := buildOne(dir)
		if err != nil {
			unbuilt = append(unbuilt, Unbuilt{file, "Kustomization " + dir, err})
			continue
		}
		built = append(built, manifest.Source{Name: file, Text: text, Built: true})
	}
	return rest, built, unbuilt
}

// kustomizations are the directories below one that have a Kustomization.
func kustomizations(root string) (dirs []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && fileOf(path) != "" {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		return nil // Read says what cannot be read
	}
	return dirs
}

// fileOf is the name of a directory's Kustomization, "" where it has none.
func fileOf(dir string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// besides are the files below a directory that lie in none of those with a Kustomization.
func besides(root string, dirs []string) (files []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains(dirs, path) {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() && slices.Contains(endings, filepath.Ext(path)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return []string{root} // Read says what cannot be read
	}
	return files
}

// outermost leaves out the directories that another one's Kustomization is made of: a base is built with its
// overlays.
func outermost(dirs []string) (all []string) {
	parts := map[string]bool{}
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, fileOf(dir)))
		if err != nil {
			continue // building it says so
		}
		for _, m := range listed.FindAllStringSubmatch(string(text), -1) {
			parts[filepath.Join(dir, m[1])] = true
		}
	}
	for _, dir := range dirs {
		if !parts[filepath.Clean(dir)] && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

var (
	listed = regexp.MustCompile(`(?m)(?:^\s*-\s+|[\[,]\s*)["']?([./\w-]+)["']?`)
	remote = regexp.MustCompile(`[a-z+]+://|git@|github\.com/|bitbucket\.org/|gitlab\.com/|\?ref=|helmCharts:|(?m)^\s*-\s+["']?[\w-]+(\.[\w-]+)+/\S+//`)
)

// buildOne is what `kubectl kustomize DIR` prints. Nothing is fetched and no program is run.
func buildOne(dir string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, err
	}
	if fetches(real, map[string]bool{}) {
		return nil, errors.New("it loads a chart or a part from another machine; render it first: `kubectl kustomize DIR | tare lint -`")
	}
	defer silenced()()
	o := &krusty.Options{Reorder: krusty.ReorderOptionNone, LoadRestrictions: types.LoadRestrictionsRootOnly, PluginConfig: types.DisabledPluginConfig()}
	resources, err := krusty.MakeKustomizer(o).Run(filesys.MakeFsOnDisk(), real)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), real+"/", ""))
	}
	return resources.AsYaml()
}

// silenced keeps the library's warnings from standard error until the function that it returns is called: they are of
// deprecated fields of a Kustomization, such as commonLabels, and nothing that lint says depends on them. The library
// writes to os.Stderr and to the standard logger and has no setting for it (kusttarget.go, resaccumulator.go of
// kustomize/api 0.21).
func silenced() (restore func()) {
	stderr := os.Stderr
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return func() {}
	}
	os.Stderr = nowhere
	log.SetOutput(nowhere)
	return func() {
		os.Stderr = stderr
		log.SetOutput(stderr)
		nowhere.Close()
	}
}

// fetches is whether a Kustomization, or one that it is made of, loads something from another machine.
func fetches(dir string, seen map[string]bool) bool {
	if seen[dir] {
		return false
	}
	seen[dir] = true
	text, err := os.ReadFile(filepath.Join(dir, fileOf(dir)))
	if err != nil {
		return false // building it says so
	}
	if remote.Match(text) {
		return true
	}
	for _, m := range listed.FindAllStringSubmatch(string(text), -1) {
		if part := filepath.Join(dir, m[1]); fileOf(part) != "" && fetches(part, seen) {
			return true
		}
	}
	return false
}
