package experiment

import (
	"fmt"
	"math"
	"reflect"

	"github.com/goccy/go-yaml/ast"
)

// armFields are what every arm has; whatever else stands in it is the target's.
type armFields struct {
	Target   string            `yaml:"target"`
	Database *Database         `yaml:"database"`
	Config   map[string]string `yaml:"config"`
	Factors  Factors           `yaml:"factors"`
	Price    Price             `yaml:"price"`
}

// CommonFields is the type of what every arm has beside the settings of its target.
func CommonFields() reflect.Type { return reflect.TypeFor[armFields]() }

// Factors are numbers that were measured of an arm by other means, by name: its
// network's throughput, say. They change nothing; what goes along with throughput
// over the arms is looked for among them.
type Factors map[string]float64

// fromNode reads names with numbers.
func (f *Factors) fromNode(d *decoder, node ast.Node, path string) {
	if !isMapping(node) {
		d.fail(node, path, "expected names with numbers, such as {network_gbps: 9.4}, not %s", kindOf(node))
		return
	}
	*f = Factors{}
	for _, p := range d.pairs(node) {
		var v float64
		d.scalar(d.resolve(p.value), reflect.ValueOf(&v).Elem(), join(path, p.key))
		if math.IsNaN(v) || math.IsInf(v, 0) {
			d.fail(p.value, join(path, p.key), "expected a finite number")
			continue
		}
		(*f)[p.key] = v
	}
}

// ArmDefaults are settings that stand once for all arms of a file: each arm is a merge
// patch (RFC 7386) of them, so that null takes one away.
type ArmDefaults struct{}

// fromNode checks the form alone: the settings are those of the arms' targets, which read
// them with the arms.
func (*ArmDefaults) fromNode(d *decoder, node ast.Node, path string) {
	if !isMapping(node) {
		d.fail(node, path, "expected settings of an arm, such as {target: container}, not %s", kindOf(node))
	}
}

// withDefaults is the body of an arm laid over the file's defaults.
func (d *decoder) withDefaults(body ast.Node) ast.Node {
	defaults := d.resolve(d.child(d.node, "defaults"))
	switch {
	case defaults == nil || !isMapping(defaults):
		return body
	case body == nil || !isMapping(body):
		if _, empty := body.(*ast.NullNode); empty {
			return defaults
		}
		return body
	}
	return d.merge(defaults, body)
}

// fromNode reads the arms in the order of the file, which a Go map would lose.
func (as *Arms) fromNode(d *decoder, node ast.Node, path string) {
	if !isMapping(node) {
		d.fail(node, path, "expected arms, each a name with its fields, not %s", kindOf(node))
		return
	}
	for _, p := range d.pairs(node) {
		at := document{file: d.file, path: join(path, p.key), node: p.value, anchors: d.anchors}
		a := Arm{Name: p.key, at: at}
		body := d.withDefaults(d.resolve(p.value))
		if body != d.resolve(p.value) {
			a.at.node = body
		}
		if body == nil || !isMapping(body) {
			a.at.node = p.at
			*as = append(*as, a)
			continue
		}
		d.common(&a)
		*as = append(*as, a)
	}
}

// Decode fills a target's settings from the fields of the arm that are not
// every arm's; into is a pointer to a struct with yaml tags. The error is a Problems with
// every unknown field and every value that does not fit.
func (a Arm) Decode(into any) error {
	if t := reflect.TypeOf(into); t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("decode settings of arm %s: expected a pointer to a struct, not %T", a.Name, into)
	}
	d := &decoder{document: a.at}
	v := reflect.ValueOf(into).Elem()
	common := reflect.TypeFor[armFields]()
	for _, p := range d.pairs(a.at.node) {
		if field, ok := fieldByTag(v, p.key); ok {
			d.value(p.value, field, join(a.at.path, p.key))
			continue
		}
		if _, ok := fieldByTag(reflect.New(common).Elem(), p.key); !ok {
			known := append(names(common), names(v.Type())...)
			d.fail(p.at, join(a.at.path, p.key), "unknown field for target %s; %s", a.Target, suggest(p.key, known))
		}
	}
	return d.problems.Err()
}
