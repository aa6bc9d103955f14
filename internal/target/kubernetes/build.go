package kubernetes

// Manifests made ready by kustomize's own library: files, folders and patches come
// out as kubectl kustomize has them.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/remove"
	"github.com/tarebench/tare/internal/target"
)

// built is what the manifests of an arm come to.
type built struct {
	objects []*unstructured.Unstructured // in the order in which they are to be applied
	sha256  string
}

// build reads the manifests, or makes an operator's resource with these options of the
// server, patches them, and puts them into the namespace with tare's labels, on the
// pods they make as well. Nothing is sent.
func (k *Kubernetes) build(namespace string, config map[string]string) (built, error) {
	resources, err := k.resources(namespace, config)
	if err != nil {
		return built{}, err
	}
	b := built{}
	sum := sha256.New()
	for _, r := range resources.Resources() {
		// Through JSON: the API machinery takes no plain integers.
		u := &unstructured.Unstructured{}
		text, err := r.MarshalJSON()
		if err == nil {
			err = u.UnmarshalJSON(text)
		}
		if err != nil {
			return built{}, fmt.Errorf("build manifests: %s: %w", r.CurId(), err)
		}
		fmt.Fprintln(sum, strings.ReplaceAll(strings.ReplaceAll(string(text), k.id, ""), cmp.Or(k.password, k.id), "")) // which every run has others of
		b.objects = append(b.objects, u)
	}
	if len(b.objects) == 0 {
		return built{}, target.Wrong("manifests", "%s has no object", strings.Join(k.settings.Manifests, ", "))
	}
	b.sha256 = hex.EncodeToString(sum.Sum(nil))
	return b, nil
}

// resources are what kustomize makes of the manifests and patches.
func (k *Kubernetes) resources(namespace string, config map[string]string) (_ resmap.ResMap, err error) {
	dir, err := os.MkdirTemp("", "tare-manifests-")
	if err != nil {
		return nil, fmt.Errorf("build manifests: %w", err)
	}
	made := dir
	defer func() { err = errors.Join(err, remove.Tree(filepath.Dir(made), made)) }()
	// kustomize compares a folder with those that lead to it by their real paths.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("build manifests: %w", err)
	}
	if err := k.writeOperator(dir, config); err != nil {
		return nil, err
	}
	text, err := k.kustomization(dir, namespace)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, konfig.DefaultKustomizationFileName()), text, 0o600)
	}
	if err != nil {
		return nil, err
	}
	// Files may lie anywhere: they are the user's. Programs are not run for them.
	o := &krusty.Options{Reorder: krusty.ReorderOptionLegacy, LoadRestrictions: types.LoadRestrictionsNone, PluginConfig: types.DisabledPluginConfig()}
	resources, err := krusty.MakeKustomizer(o).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, target.FieldError{Field: "manifests", Err: fmt.Errorf("build manifests: %w", inOurWords(err, dir))}
	}
	return resources, nil
}

// operatorFile has an operator's objects in the directory of the build.
const operatorFile = "operator.yaml"

// writeOperator writes that file, where the arm's server is an operator's.
func (k *Kubernetes) writeOperator(dir string, config map[string]string) error {
	if !k.settings.isOperator() {
		return nil
	}
	texts, err := k.operatorObjects(config, k.password)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, operatorFile), bytes.Join(texts, []byte("---\n")), 0o600)
	}
	return err
}

// kustomization leads from dir to the manifests. Nothing is renamed: names stand
// in commands and variables as well, where a reader could not follow.
func (k *Kubernetes) kustomization(dir, namespace string) ([]byte, error) {
	v := types.Kustomization{
		Namespace: namespace,
		Labels:    []types.Label{{Pairs: map[string]string{armLabel: k.id}, IncludeTemplates: true}},
	}
	v.APIVersion, v.Kind = types.KustomizationVersion, types.KustomizationKind
	for _, name := range k.settings.Manifests {
		found, err := manifestsOf(name)
		if err != nil {
			return nil, target.FieldError{Field: "manifests", Err: err}
		}
		for _, path := range found {
			at, err := relative(dir, path)
			if err != nil {
				return nil, target.FieldError{Field: "manifests", Err: err}
			}
			v.Resources = append(v.Resources, at)
		}
	}
	if k.settings.isOperator() {
		v.Resources = append(v.Resources, operatorFile)
	}
	for _, p := range k.settings.Patches {
		patch, err := p.kustomize()
		if err != nil {
			return nil, err
		}
		v.Patches = append(v.Patches, patch)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("build manifests: %w", err)
	}
	return text, nil
}

// manifestsOf is a file, a folder with a kustomization, or the files of a folder.
func manifestsOf(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read manifests: %w", err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	for _, file := range konfig.RecognizedKustomizationFileNames() {
		if _, err := os.Stat(filepath.Join(name, file)); err == nil {
			return []string{name}, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read manifests: %w", err)
		}
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("read manifests: %w", err)
	}
	var files []string
	for _, extension := range []string{".yaml", ".yml", ".json"} {
		for _, e := range entries {
			if filepath.Ext(e.Name()) == extension {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read manifests: %s has neither a kustomization.yaml nor any .yaml file", name)
	}
	return files, nil
}

// relative is the only form in which kustomize takes a folder.
func relative(dir, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err == nil {
		real, err = filepath.Rel(dir, real)
	}
	if err != nil {
		return "", fmt.Errorf("read manifests: %w", err)
	}
	return real, nil
}

// kustomize is the patch with its text, wherever that is.
func (p Patch) kustomize() (types.Patch, error) {
	v := types.Patch{Patch: p.Patch}
	if p.Path != "" {
		text, err := os.ReadFile(p.Path)
		if err != nil {
			return types.Patch{}, target.FieldError{Field: "patches", Err: fmt.Errorf("read patch: %w", err)}
		}
		v.Patch = string(text)
	}
	if p.Target != (Select{}) {
		v.Target = &types.Selector{LabelSelector: p.Target.LabelSelector, AnnotationSelector: p.Target.AnnotationSelector}
		v.Target.ResId = resid.ResId{Gvk: resid.Gvk{Group: p.Target.Group, Version: p.Target.Version, Kind: p.Target.Kind}, Name: p.Target.Name}
	}
	return v, nil
}
