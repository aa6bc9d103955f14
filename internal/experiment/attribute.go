package experiment

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Attribute asks whose the loss is: the arm From is measured with every feasible
// combination of the layers, so that each layer's part can be told from the
// others'.
type Attribute struct {
	// From is the arm without any of the layers: the baseline.
	From string `yaml:"from"`
	// To is an arm of its own that the layers are meant to add up to; what they do
	// not reproduce of it is shown as unexplained. Empty means the full stack.
	To     string `yaml:"to"`
	Layers Layers `yaml:"layers"`
	// After says which layers must be on before another can be.
	After After `yaml:"after"`
	// Order are chains of layers; only the steps of these chains are measured,
	// where all combinations are too many. Empty means all combinations.
	Order Orders `yaml:"order"`
}

// After lists, for a layer, those that it needs.
type After map[string][]string

// Orders are chains of layers, each from the first to be switched on to the last.
type Orders [][]string

// Cell is one combination of layers and the arm that stands for it. Bit i of Set
// is layer i.
type Cell struct {
	Set int
	Arm string
}

// maxCells is how many arms an attribution may take: 64 arms in 6 rounds of
// three minutes are 19 hours.
const maxCells = 64

// Cells are the feasible combinations: fewer layers first, so From is the first
// and, unless Order is a fraction of it, all layers together the last.
func (a *Attribute) Cells() []Cell {
	var all []Cell
	for set := range 1 << len(a.Layers) {
		if a.Feasible(set) {
			all = append(all, Cell{set, a.name(set)})
		}
	}
	slices.SortStableFunc(all, func(x, y Cell) int { return bits.OnesCount(uint(x.Set)) - bits.OnesCount(uint(y.Set)) })
	return all
}

// Feasible says whether a combination is measured.
func (a *Attribute) Feasible(set int) bool {
	for i, l := range a.Layers {
		for _, need := range a.After[l.Name] {
			if j := a.index(need); set>>i&1 == 1 && j >= 0 && set>>j&1 == 0 {
				return false
			}
		}
	}
	return len(a.Order) == 0 || slices.ContainsFunc(a.Order, func(chain []string) bool { return a.onChain(chain, set) })
}

// onChain says that a combination is a beginning of the chain.
func (a *Attribute) onChain(chain []string, set int) bool {
	reached := 0
	for _, name := range chain {
		if reached == set {
			return true
		}
		if i := a.index(name); i >= 0 {
			reached |= 1 << i
		}
	}
	return reached == set
}

func (a *Attribute) index(layer string) int {
	return slices.IndexFunc(a.Layers, func(l Layer) bool { return l.Name == layer })
}

// Full is the arm with all layers.
func (a *Attribute) Full() string { return a.name(1<<len(a.Layers) - 1) }

// name of the arm of a combination: its layers', or, where that is longer than a
// name may be, one digit for each layer.
func (a *Attribute) name(set int) string {
	if set == 0 {
		return a.From
	}
	var on []string
	digits := ""
	for i, l := range a.Layers {
		digits += fmt.Sprint(set >> i & 1)
		if set>>i&1 == 1 {
			on = append(on, l.Name)
		}
	}
	if name := strings.Join(on, "-"); ValidName(name) {
		return name
	}
	return "layers-" + digits
}

// fromNode reads one name or a list of them for each layer.
func (a *After) fromNode(d *decoder, node ast.Node, path string) {
	*a = After{}
	if !isMapping(node) {
		d.fail(node, path, "expected a layer with the layers that it requires, for example {quota: container}")
		return
	}
	for _, p := range d.pairs(node) {
		(*a)[p.key] = d.namesIn(p.value, join(path, p.key))
	}
}

// fromNode reads one chain or a list of them.
func (o *Orders) fromNode(d *decoder, node ast.Node, path string) {
	s, ok := node.(*ast.SequenceNode)
	if !ok || len(s.Values) == 0 {
		d.fail(node, path, "expected the names of the layers in their order, or a list of such lists")
		return
	}
	if _, nested := d.resolve(s.Values[0]).(*ast.SequenceNode); !nested {
		*o = Orders{d.namesIn(node, path)}
		return
	}
	for _, chain := range s.Values {
		*o = append(*o, d.namesIn(chain, path))
	}
}

// namesIn reads one name or a list of names.
func (d *decoder) namesIn(node ast.Node, path string) []string {
	var all []string
	for _, n := range d.oneOrMore(node) {
		name := ""
		d.scalar(d.resolve(n), reflect.ValueOf(&name).Elem(), path)
		all = append(all, name)
	}
	return all
}
