package manifest

// This file is the pod as rules see it: the same for a template in a Deployment
// and for the resource of an operator, which says only parts of it.

import "strings"

// Pod is a pod template. Spec does not exist where an operator writes it.
type Pod struct {
	Meta, Spec Value
	Resources  Value // of the pod as a whole, where they are set
	Containers []*Container
	// Filled says what the operator is known to put where the file is silent:
	// its own containers, probes and volumes. "" for a template in the file.
	Filled string
}

// Container is one container of a pod.
type Container struct {
	Name      string
	Init      bool  // runs before the others
	Sidecar   bool  // an init container that keeps running (restartPolicy: Always)
	Value     Value // where the file has the container
	Resources Value // where its resources stand, or would stand
	given     given // what a LimitRange gives it where the file does not
}

// Request of a resource, as the API server fills it in: from the limit where
// only that is set, and then from a LimitRange.
func (c *Container) Request(name string) Amount {
	for _, v := range []Value{c.Resources.Get("requests", name), c.Resources.Get("limits", name), c.given.requests.Get(name), c.given.limits.Get(name)} {
		if a := v.Amount(name); a.Set {
			return a
		}
	}
	return c.Resources.Get("requests", name).Amount(name)
}

// Limit of a resource, of the file or of a LimitRange.
func (c *Container) Limit(name string) Amount {
	l := c.Resources.Get("limits", name).Amount(name)
	if g := c.given.limits.Get(name).Amount(name); !l.Set && g.Set {
		return g
	}
	return l
}

// podAt reads a pod template: a mapping with metadata and spec.
func podAt(template Value) *Pod {
	spec := template.Get("spec")
	p := &Pod{Meta: template.Get("metadata"), Spec: spec, Resources: levelResources(spec)}
	for _, v := range spec.Get("containers").Items() {
		p.add(v, false)
	}
	for _, v := range spec.Get("initContainers").Items() {
		p.add(v, true)
	}
	return p
}

// levelResources are the resources of a pod as a whole where they set at least one that a pod can have, and else
// do not exist: `resources: {}` leaves the QoS class and the requests to the containers
// (IsPodLevelResourcesSet of k8s.io/component-helpers/resource).
func levelResources(spec Value) Value {
	resources := spec.Get("resources")
	for _, kind := range []string{"requests", "limits"} {
		for _, f := range resources.Get(kind).Fields() {
			if f.Key == "cpu" || f.Key == "memory" || strings.HasPrefix(f.Key, "hugepages-") {
				return resources
			}
		}
	}
	return Value{}
}

func (p *Pod) add(v Value, init bool) {
	p.Containers = append(p.Containers, &Container{
		Name: v.Get("name").Text(), Init: init,
		Sidecar: init && v.Get("restartPolicy").Text() == "Always",
		Value:   v, Resources: v.Get("resources"),
	})
}

// Volume is a volume of the pod by its name.
func (p *Pod) Volume(name string) Value { return p.Spec.Get("volumes").Named(name) }

// Mount is the volume mounted at a path of a container, or at a directory above
// it; the volume does not exist where the path lies on the container's own layer.
func (p *Pod) Mount(c *Container, dir string) (mount, volume Value) {
	best := -1
	for _, m := range c.Value.Get("volumeMounts").Items() {
		at := m.Get("mountPath").Text()
		if below(dir, at) && len(at) > best {
			best, mount = len(at), m
		}
	}
	if best < 0 {
		return Value{}, Value{}
	}
	return mount, p.Volume(mount.Get("name").Text())
}

func below(dir, root string) bool {
	for len(root) > 1 && root[len(root)-1] == '/' {
		root = root[:len(root)-1]
	}
	return dir == root || root != "" && len(dir) > len(root) && dir[:len(root)] == root && (dir[len(root)] == '/' || root == "/")
}
