package experiment

// The layers of an attribution: read as patches, or by a name that stands for one.

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Layers are in the order of the file.
type Layers []Layer

// Layer is one thing that can be switched on alone: a merge patch (RFC 7386) of
// an arm's settings, where null takes a setting away.
type Layer struct {
	Name string
	at   document
	// needs are the layers that one known by its name must follow, where they are
	// among those to be measured.
	needs []string
	// known is what the name alone stands for, also where it has a value; nil for a patch of the file's own.
	known *KnownLayer
}

// KnownLayer is a layer whose name says what it changes.
type KnownLayer struct {
	Name string
	// Patch is YAML: settings of an arm of target container.
	Patch string
	Needs []string
	// Targets are those of the arms that it can be laid over.
	Targets []string
}

// KnownLayers are those that can be named alone. Where a layer has a size, it is
// the node's own: what is shown is the mechanism, not less of the machine.
func KnownLayers() []KnownLayer {
	pod := []string{"container"}
	here, cluster, everywhere := []string{"container"}, []string{"container", "kubernetes"}, []string{"process", "container", "kubernetes"}
	return []KnownLayer{
		{"container", "{target: container, weight: false}", nil, []string{"process"}},
		{"weight", "{weight: true}", pod, here},
		{"quota", "{quota: max}", pod, here},
		{"exclusive", "{exclusive: max}", pod, here},
		{"filesystem", "{filesystem: overlay}", pod, here},
		{"block", "{volume: block}", pod, here},
		{"tmpfs", "{volume: tmpfs}", pod, cluster},
		{"io", "{io: gp3}", []string{"container", "block"}, here},
		{"network", "{client: other-pod, network: {plugin: bridge}}", pod, here},
		{"service", "{service: {proxy: iptables, others: 1000}}", []string{"container", "network"}, here},
		{"between", "{client: other-node, network: {between: vxlan}}", []string{"container", "network"}, here},
		{"seccomp", "{seccomp: RuntimeDefault}", pod, cluster},
		{"privileges", "{noNewPrivileges: true}", pod, here},
		{"capabilities", "{capabilities: none}", pod, here},
		{"neighbour", "{neighbour: {cpu: 1, request: 100m}}", nil, everywhere},
	}
}

// fromNode reads a mapping of names to patches, or a list of them and of names
// alone.
func (ls *Layers) fromNode(d *decoder, node ast.Node, path string) {
	for _, n := range d.oneOrMore(node) {
		body := d.resolve(n)
		switch name, alone := scalarText(body); {
		case body != nil && isMapping(body):
			for _, p := range d.pairs(body) {
				*ls = append(*ls, d.layer(p, path)...)
			}
		case alone:
			*ls = append(*ls, d.known(name, body, path)...)
		default:
			d.fail(n, path, "expected layers, each a name with the settings of an arm that it changes, for example quota: {cpu: 1}; `tare list layers` shows them")
		}
	}
}

// layer reads a name with a patch; with one value, which is that of the setting
// of this name; or with nothing, which is a name alone.
func (d *decoder) layer(p pair, path string) []Layer {
	at := document{file: d.file, path: join(path, p.key), node: d.resolve(p.value), anchors: d.anchors}
	_, empty := at.node.(*ast.NullNode)
	_, single := scalarText(at.node)
	key, ok := p.at.(ast.MapKeyNode)
	switch {
	case at.node != nil && isMapping(at.node):
		return []Layer{{Name: p.key, at: at}}
	case empty:
		return d.known(p.key, p.at, path)
	case single && ok:
		patch := ast.Mapping(p.at.GetToken(), true)
		patch.Values = append(patch.Values, ast.MappingValue(p.at.GetToken(), key, p.value))
		at.node = patch
		l := Layer{Name: p.key, at: at, known: knownLayer(p.key)}
		if l.known != nil {
			l.needs = l.known.Needs
		}
		return []Layer{l}
	}
	d.fail(p.at, at.path, "a layer says which settings of an arm it changes, for example %s: {cpu: 1}; `tare list layers` shows them", p.key)
	return nil
}

// knownLayer is the one of that name, or nil.
func knownLayer(name string) *KnownLayer {
	for _, k := range KnownLayers() {
		if k.Name == name {
			return &k
		}
	}
	return nil
}

// known finds a layer by its name, which stands at a node.
func (d *decoder) known(name string, node ast.Node, path string) []Layer {
	var all []string
	for _, k := range KnownLayers() {
		if k.Name == name {
			return []Layer{{Name: name, at: d.patch(k, node, path), needs: k.Needs, known: &k}}
		}
		all = append(all, k.Name)
	}
	d.fail(node, path, "unknown layer %q: %s; or write what it changes, %s: {cpu: 1}", name, suggest(name, all), name)
	return nil
}

// patch is a known layer's; whatever is wrong with it is wrong where its name
// stands.
func (d *decoder) patch(k KnownLayer, at ast.Node, path string) document {
	file, err := parser.ParseBytes([]byte(k.Patch), 0)
	if err != nil {
		panic(fmt.Sprintf("the patch of layer %s: %v", k.Name, err)) // a test reads them all
	}
	body := file.Docs[0].Body
	ast.Walk(placed{at}, body)
	return document{file: d.file, path: join(path, k.Name), node: body, anchors: d.anchors}
}

// placed puts nodes where another is.
type placed struct{ at ast.Node }

// Visit is called for every node.
func (p placed) Visit(node ast.Node) ast.Visitor {
	if own, there := node.GetToken(), p.at.GetToken(); own != nil && there != nil {
		own.Position = there.Position
	}
	return p
}

// settle puts known layers after those that they need, unless after: says
// otherwise.
func (a *Attribute) settle() {
	for _, l := range a.Layers {
		if _, said := a.After[l.Name]; said {
			continue
		}
		for _, need := range l.needs {
			if a.index(need) >= 0 {
				if a.After == nil {
					a.After = After{}
				}
				a.After[l.Name] = append(a.After[l.Name], need)
			}
		}
	}
}

// foreign are the known layers that are not for the target of an arm that is no process and no container: their patches
// change settings that it does not have.
func (a *Attribute) foreign(from Arm) (names []string) {
	if from.Target == "" || from.Target == "process" || from.Target == "container" {
		return nil // where a layer before them makes a container
	}
	for _, l := range a.Layers {
		if l.known != nil && !slices.Contains(l.known.Targets, from.Target) {
			names = append(names, l.Name)
		}
	}
	return names
}

// homeless are the known layers of a pod that there is none for.
func (a *Attribute) homeless(from Arm) []Layer {
	if from.Target != "process" || a.index("container") >= 0 {
		return nil
	}
	var all []Layer
	for _, l := range a.Layers {
		if slices.Contains(l.needs, "container") {
			all = append(all, l)
		}
	}
	return all
}
