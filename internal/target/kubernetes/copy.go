package kubernetes

// Copies of a user's manifests under other names: they can be measured in the namespace of the running database
// without an object of it being changed, and without a selector of it matching a pod of the copy.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// CopySuffix ends the names of copies, and the values of their labels.
const CopySuffix = "-tare"

// Copied is a workload with what its pods need, all of it with other names.
type Copied struct {
	Text     []byte   // the objects as YAML
	Service  string   // that leads to the pods
	Volumes  []string // claim templates of a StatefulSet
	Replicas int64
	Notes    []string // what differs from the running database, a sentence each
	names    map[string]map[string]string
}

// Objects are those of manifests.
type Objects []*unstructured.Unstructured

// Manifests are the objects of files, directories and Kustomizations, with the suffixes that kustomize gives.
func Manifests(names []string) (Objects, error) {
	if errs := checkManifestFiles(names); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	b, err := (&Kubernetes{settings: Settings{Manifests: names}}).build("", nil)
	if err != nil {
		return nil, err
	}
	for _, u := range b.objects {
		unlabel(u.Object)
		if template, ok, _ := unstructured.NestedMap(u.Object, "spec", "template"); ok { // not ok: it has none
			unlabel(template)
			if err := unstructured.SetNestedMap(u.Object, template, "spec", "template"); err != nil {
				return nil, fmt.Errorf("read manifests: %w", err)
			}
		}
	}
	return b.objects, nil
}

// unlabel takes out the label of tare's arms.
func unlabel(object map[string]any) {
	if metadata, ok := object["metadata"].(map[string]any); ok {
		if all, ok := metadata["labels"].(map[string]any); ok {
			delete(all, armLabel)
		}
	}
}

// YAML is objects as one file.
func YAML(objects Objects) ([]byte, error) {
	var all []byte
	for _, u := range objects {
		text, err := yaml.Marshal(u.Object)
		if err != nil {
			return nil, fmt.Errorf("write manifests: %w", err)
		}
		all = append(append(all, "---\n"...), text...)
	}
	return all, nil
}

// Copy copies a workload, by kind and name, and those of the objects that its pods need. What a copy cannot have is an error:
// a directory of a node, a disk or a claim that the running database has.
func Copy(objects Objects, kind, name string) (Copied, error) {
	i := slices.IndexFunc(objects, func(u *unstructured.Unstructured) bool { return u.GetKind() == kind && u.GetName() == name })
	if i < 0 || kind != "StatefulSet" && kind != "Deployment" {
		return Copied{}, fmt.Errorf("copy %s %s: only a StatefulSet or a Deployment can be copied", kind, name)
	}
	workload := objects[i].DeepCopy()
	pod, _, err := unstructured.NestedMap(workload.Object, "spec", "template")
	if err != nil {
		return Copied{}, fmt.Errorf("copy %s %s: %w", kind, name, err)
	}
	c := Copied{names: map[string]map[string]string{}}
	if err := sharedVolumes(objects, kind+" "+name, pod); err != nil {
		return Copied{}, err
	}
	template, _, _ := unstructured.NestedStringMap(pod, "metadata", "labels") // nobody selects a pod without labels
	kept := []*unstructured.Unstructured{workload}
	c.rename(workload)
	for _, u := range objects {
		if u.GetKind() == "Service" && selects(u, template) || referred(pod, u.GetKind(), u.GetName()) {
			kept = append(kept, u.DeepCopy())
			c.rename(u)
		}
	}
	for _, u := range objects {
		if u.GetKind() == "Service" && selects(u, suffixed(template, nil)) {
			return Copied{}, fmt.Errorf("copy %s %s: Service %s would select the pods of the copy as well: %v are labels that cannot be changed", kind, name, u.GetName(), u.Object["spec"].(map[string]any)["selector"])
		}
	}
	hosts := c.hostNamesOf(objects, workload, template)
	for _, u := range kept {
		c.copied(u, template)
	}
	if err := c.renameText(hosts, kept); err != nil {
		return Copied{}, fmt.Errorf("copy %s %s: %w", kind, name, err)
	}
	if c.Service == "" {
		return Copied{}, fmt.Errorf("copy %s %s: no Service among the manifests selects its pods, and tare sends the load to one; add it", kind, name)
	}
	c.elsewhere(pod)
	c.Text, err = YAML(kept)
	return c, err
}

// Name is what a name of an object of some kind is in the copy; the same where it is not among the copied.
func (c *Copied) Name(kind, name string) string {
	if to, ok := c.names[kind][name]; ok {
		return to
	}
	return name
}

func (c *Copied) rename(u *unstructured.Unstructured) {
	if c.names[u.GetKind()] == nil {
		c.names[u.GetKind()] = map[string]string{}
	}
	c.names[u.GetKind()][u.GetName()] = u.GetName() + CopySuffix
}

func selects(service *unstructured.Unstructured, of map[string]string) bool {
	selector, _, err := unstructured.NestedStringMap(service.Object, "spec", "selector")
	return err == nil && len(selector) > 0 && labels.SelectorFromSet(selector).Matches(labels.Set(of))
}

// reference is a field of a pod that names another object.
type reference struct{ within, field, kind string }

// references: within is the key that has the field, "" for any.
func references() []reference {
	return []reference{
		{"configMap", "name", "ConfigMap"}, {"configMapRef", "name", "ConfigMap"}, {"configMapKeyRef", "name", "ConfigMap"},
		{"secret", "secretName", "Secret"}, {"secret", "name", "Secret"}, {"secretRef", "name", "Secret"}, {"secretKeyRef", "name", "Secret"}, {"imagePullSecrets", "name", "Secret"},
		{"persistentVolumeClaim", "claimName", claimKind}, {"spec", "serviceAccountName", "ServiceAccount"},
	}
}

// walk visits every reference of a pod. What visit returns takes its place.
func walk(within string, value any, visit func(kind, name string) string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			walk(within, item, visit)
		}
	case map[string]any:
		for _, r := range references() {
			if name, ok := v[r.field].(string); ok && r.within == within {
				v[r.field] = visit(r.kind, name)
			}
		}
		for key, of := range v {
			walk(key, of, visit)
		}
	}
}

func referred(pod map[string]any, kind, name string) bool {
	found := false
	walk("", pod, func(k, n string) string {
		found = found || k == kind && n == name
		return n
	})
	return found
}

// sharedVolumes refuses volumes whose files are those of the running database.
func sharedVolumes(objects []*unstructured.Unstructured, of string, pod map[string]any) error {
	own := []string{"emptyDir", "configMap", "secret", "projected", "downwardAPI", "ephemeral"}
	volumes, _, _ := unstructured.NestedSlice(pod, "spec", "volumes") // absent: none
	for _, volume := range volumes {
		v, _ := volume.(map[string]any)
		name, _ := v["name"].(string)
		for kind, what := range v {
			claim, _, _ := unstructured.NestedString(v, "persistentVolumeClaim", "claimName") // absent: ""
			switch {
			case kind == "name" || slices.Contains(own, kind):
			case kind != "persistentVolumeClaim":
				return fmt.Errorf("copy %s: volume %s is a %s (%v), whose files the running database has; tare does not copy them. Move the data to a claim, or measure the running server with target: external", of, name, kind, what)
			case !slices.ContainsFunc(objects, func(u *unstructured.Unstructured) bool { return u.GetKind() == claimKind && u.GetName() == claim }):
				return fmt.Errorf("copy %s: claim %s of volume %s is not among the manifests: its data are those of the running database, and tare does not copy them; add the claim, or measure the running server with target: external", of, claim, name)
			}
		}
	}
	return nil
}

// copied makes one object that of the copy: other names and labels, nothing of the cluster's own in it, and nothing that
// others outside of the cluster would follow.
func (c *Copied) copied(u *unstructured.Unstructured, template map[string]string) {
	name := u.GetName()
	metadata := map[string]any{"name": c.Name(u.GetKind(), name)}
	if all := u.GetLabels(); len(all) > 0 {
		metadata["labels"] = toAny(suffixed(all, nil))
	}
	u.Object["metadata"] = metadata
	delete(u.Object, "status")
	spec, _ := u.Object["spec"].(map[string]any)
	switch u.GetKind() {
	case "Service":
		c.service(u, spec, template)
	case claimKind:
		if _, bound := spec["volumeName"]; bound {
			delete(spec, "volumeName")
			c.Notes = append(c.Notes, fmt.Sprintf("Claim %s names its volume: the copy gets another one.", name))
		}
	case "StatefulSet", "Deployment":
		c.workload(u.GetKind(), spec, template)
	}
}

func (c *Copied) service(u *unstructured.Unstructured, spec map[string]any, template map[string]string) {
	for _, field := range []string{"clusterIPs", "externalIPs", "externalName", "loadBalancerIP", "loadBalancerSourceRanges", "loadBalancerClass", "externalTrafficPolicy", "healthCheckNodePort", "allocateLoadBalancerNodePorts"} {
		delete(spec, field)
	}
	if ip, _ := spec["clusterIP"].(string); ip != "None" {
		delete(spec, "clusterIP")
		c.Service = u.GetName()
	} else if c.Service == "" {
		c.Service = u.GetName()
	}
	if kind, _ := spec["type"].(string); kind == loadBalancer || kind == nodePort {
		spec["type"] = "ClusterIP"
		c.Notes = append(c.Notes, fmt.Sprintf("Service %s is of type %s: the copy's is of type ClusterIP.", strings.TrimSuffix(u.GetName(), CopySuffix), kind))
	}
	ports, _ := spec["ports"].([]any)
	for _, port := range ports {
		if p, ok := port.(map[string]any); ok {
			delete(p, "nodePort")
		}
	}
	selector, _, _ := unstructured.NestedStringMap(spec, "selector") // it has one: see selects
	spec["selector"] = toAny(suffixed(selector, template))
}

func (c *Copied) workload(kind string, spec map[string]any, template map[string]string) {
	c.Replicas = replicasOf(map[string]any{"spec": spec})
	selector, ok, _ := unstructured.NestedStringMap(spec, "selector", "matchLabels")
	if !ok {
		selector = template
	}
	spec["selector"] = map[string]any{"matchLabels": toAny(suffixed(selector, template))}
	if name, ok := spec["serviceName"].(string); ok && kind == "StatefulSet" {
		spec["serviceName"] = c.Name("Service", name)
	}
	if pod, ok := spec["template"].(map[string]any); ok {
		if metadata, ok := pod["metadata"].(map[string]any); ok {
			delete(metadata, "name")
			delete(metadata, "namespace")
			metadata["labels"] = toAny(suffixed(template, nil))
		}
		walk("", pod, c.Name)
		renamedSelectors(pod, template)
	}
	claims, _ := spec["volumeClaimTemplates"].([]any)
	for _, claim := range claims {
		if fields, ok := claim.(map[string]any); ok {
			name, _, _ := unstructured.NestedString(fields, "metadata", "name") // the API server requires it
			c.Volumes = append(c.Volumes, name)
			unstructured.RemoveNestedField(fields, "spec", "volumeName")
			unstructured.RemoveNestedField(fields, "status")
		}
	}
}

func replicasOf(workload map[string]any) int64 {
	spec, _ := workload["spec"].(map[string]any)
	switch n := spec["replicas"].(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 1
}

// renamedSelectors are those of affinities and spread constraints, which are about the pods of the workload.
func renamedSelectors(value any, template map[string]string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			renamedSelectors(item, template)
		}
	case map[string]any:
		if selector, ok := v["labelSelector"].(map[string]any); ok {
			if match, ok, _ := unstructured.NestedStringMap(selector, "matchLabels"); ok {
				selector["matchLabels"] = toAny(suffixed(match, template))
			}
		}
		for _, of := range v {
			renamedSelectors(of, template)
		}
	}
}

// suffixed are labels with other values, so that no selector of the running database matches them; switches of other programs
// (sidecar injection) stay. With among, those alone that it has.
func suffixed(all, among map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range all {
		switch value {
		case "", "true", "false", "enabled", "disabled":
		default:
			if among == nil || among[key] == value {
				value = value[:min(len(value), 63-len(CopySuffix))] + CopySuffix
			}
		}
		out[key] = value
	}
	return out
}

func toAny(all map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range all {
		out[key] = value
	}
	return out
}

// elsewhere notes the objects that the pods name and the manifests do not have: the copy uses those of the namespace.
func (c *Copied) elsewhere(pod map[string]any) {
	seen := map[string]bool{}
	walk("", pod, func(kind, name string) string {
		if c.names[kind][name] == "" && !seen[kind+name] {
			seen[kind+name] = true
			c.Notes = append(c.Notes, fmt.Sprintf("%s %s is not among the manifests: the copy uses the one in its namespace.", kind, name))
		}
		return name
	})
	slices.Sort(c.Notes)
}
