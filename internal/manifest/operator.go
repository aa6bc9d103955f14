package manifest

// This file finds the resources of operators: what a pod template would say is
// where the operator's descriptor (internal/operator) has it.

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/operator"
)

// managed is an operator's resource, found for an object.
type managed struct {
	operator.Descriptor
	component Value // KubeBlocks: the component within the Cluster
}

func operatorOf(o *Object) (managed, bool) {
	for _, op := range operator.All() {
		if op.Kind != o.Kind || op.Group != o.group() {
			continue
		}
		if op.Component != "" {
			return component(op, o)
		}
		form := op.FormOf(func(path string) string { return o.Value.At(path).Text() })
		op.Sets = op.SetsOf(form.Name)
		if form.Replication != nil {
			op.Replication = *form.Replication
		}
		return managed{Descriptor: op}, true
	}
	return managed{}, false
}

func productOf(name string) Product {
	if name == "mariadb" {
		return MariaDB
	}
	return MySQL
}

func at(v Value, path string) Value {
	if path == "" {
		return Value{}
	}
	return v.At(path)
}

// database is the operator's resource in the words of a pod.
func (op managed) database(o *Object) *Database {
	root := o.Value
	if op.component.Exists() {
		root = op.component
	}
	server := &Container{Name: "mysql", Resources: at(root, op.Fields.Resources)}
	d := &Database{
		Object: o, Product: productOf(op.Product), Replicas: at(root, op.Fields.Members).Int(1), Members: at(root, op.Fields.Members), Server: server, Operator: op.Title,
		Replication: op.Replication, ConfigAt: at(root, op.Fields.Config), tuned: pools()[op.Pool], presets: op.Sets, labels: op.labels(o),
		Pod: &Pod{Containers: []*Container{server}, Filled: op.Title},
	}
	d.Version = parseVersion(at(root, op.Fields.Version).Text())
	if d.Image = at(root, op.Fields.Image); d.Image.Text() != "" {
		image := d.Image.Text()
		_, d.Version, _ = serverImage(image)
		d.Tag, d.major = floating(d.Product, image)
	}
	for _, s := range op.Sidecars {
		if on := root.At(s.Enabled); s.Enabled != "" && !on.IsTrue() && (on.Exists() || !s.Default) {
			continue
		}
		d.Pod.Containers = append(d.Pod.Containers, &Container{Name: s.Name, Init: s.Init, Resources: root.At(s.Resources)})
	}
	d.furtherContainers(op, root)
	w := op.Descriptor.Written
	d.Written = PodSettings{Grace: at(root, w.Grace), Budget: at(root, w.Budget), AntiAffinity: at(root, w.AntiAffinity), Volume: at(root, w.Volume)}
	for _, path := range w.Liveness {
		d.Written.Liveness = append(d.Written.Liveness, root.At(path))
	}
	d.OnlyNew = op.OnlyNew
	d.Config = optionsBelow(op.Fields.Group, d.ConfigAt, op.Kind+" "+o.Name)
	d.addClaim(op, root)
	return d
}

// furtherContainers adds those that the resource lists beside the operator's own.
func (d *Database) furtherContainers(op managed, root Value) {
	add := func(paths []string, init bool) {
		for _, path := range paths {
			for _, v := range root.At(path).Items() {
				name := v.Get("name").Text()
				if !slices.ContainsFunc(d.Pod.Containers, func(c *Container) bool { return c.Name == name }) {
					d.Pod.Containers = append(d.Pod.Containers, &Container{Name: name, Init: init, Sidecar: init && v.Get("restartPolicy").Text() == "Always", Resources: v.Get("resources")})
				}
			}
		}
	}
	add(op.Containers, false)
	add(op.InitContainers, true)
}

// labels are those of the pods with the servers of an object.
func (op managed) labels(o *Object) map[string]string {
	all := map[string]string{}
	for label, value := range op.Pods.Selector {
		// The one label of a component that is not the object's is the component's own name.
		if name := op.component.Get("name").Text(); name != "" && !strings.Contains(value, "{name}") {
			value = name
		}
		all[label] = strings.ReplaceAll(value, "{name}", o.Name)
	}
	return all
}

func (d *Database) addClaim(op managed, root Value) {
	if spec := at(root, op.Fields.Claim); spec.Exists() {
		d.Claims = append(d.Claims, claimAt("data", spec))
		return
	}
	if op.Fields.Size != "" {
		d.Claims = append(d.Claims, Claim{Name: "data", Size: root.At(op.Fields.Size).Amount("storage"), Class: root.At(op.Fields.StorageClass), Value: root.At(op.Fields.Size)})
	}
}

// operatorConfig reads the ConfigMap that an operator's resource names.
func (s *Set) operatorConfig(d *Database, taken map[*Object]bool) {
	op, ok := operatorOf(d.Object)
	if !ok || op.Fields.ConfigMap == "" {
		return
	}
	name := d.Object.Value.At(op.Fields.ConfigMap).Text()
	if name == "" {
		return
	}
	o := s.FindIn("ConfigMap", name, d.Object.Namespace)
	if o == nil {
		d.Config.Missing = append(d.Config.Missing, said("%s %s is not in the files", "ConfigMap", name))
		return
	}
	taken[o] = true
	read := holdsOptions
	if named := d.Object.Value.At(strings.TrimSuffix(op.Fields.ConfigMap, ".name") + ".key").Text(); named != "" {
		read = func(key, _ string) bool { return key == named } // whatever it looks like
	}
	d.Config.add(optionsOf(o, read))
}

// component finds the MySQL component of a KubeBlocks Cluster. Each addon has a template of
// options of its own, so that the descriptor's are not those of every component.
func component(op operator.Descriptor, o *Object) (managed, bool) {
	for _, c := range o.Value.Get("spec", "componentSpecs").Items() {
		words := strings.ToLower(o.Value.Get("spec", "clusterDef").Text() + " " + o.Value.Get("spec", "clusterDefinitionRef").Text() + " " +
			c.Get("componentDef").Text() + " " + c.Get("componentDefRef").Text())
		if strings.Contains(words, "proxysql") || strings.Contains(words, "orchestrator") || strings.Contains(words, "vtgate") ||
			!strings.Contains(words, "mysql") && !strings.Contains(words, "mariadb") {
			continue
		}
		switch {
		case strings.Contains(words, "mariadb"):
			op.Product, op.Sets = "mariadb", nil
		case strings.Contains(words, "apecloud"):
			op.Sets = op.SetsOf("apecloud-mysql")
		case strings.Contains(words, "5.7"), strings.HasPrefix(c.Get("serviceVersion").Text(), "5.7"):
			op.Sets = nil
		}
		return managed{component: c, Descriptor: op}, true
	}
	return managed{}, false
}
