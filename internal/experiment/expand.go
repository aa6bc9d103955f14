package experiment

import (
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// expand adds the arms that the attribution asks for: From with the patches of
// each combination of layers laid over it. Layers of one combination are laid in
// the order of the file. Each remedy is laid over the baseline.
func (e *Experiment) expand(d *decoder) {
	if base, ok := e.Arm(e.Baseline); ok {
		for _, r := range e.Remedies {
			if r.at.node != nil {
				e.Arms = append(e.Arms, d.overlaid(base, r.Arm, d.merge(d.resolve(base.at.node), r.at.node)))
			}
		}
	}
	a := e.Attribute
	if a == nil {
		return
	}
	a.settle()
	if e.Baseline == "" {
		e.Baseline = a.From
	}
	from, ok := e.Arm(a.From)
	if !ok || a.mistaken() != "" || len(a.foreign(from)) > 0 {
		return // check says what is wrong
	}
	for _, c := range a.Cells()[1:] {
		e.Arms = append(e.Arms, d.patched(from, a, c))
	}
}

func (d *decoder) patched(from Arm, a *Attribute, c Cell) Arm {
	body := d.resolve(from.at.node)
	var on []string
	for i, l := range a.Layers {
		if c.Set>>i&1 == 1 {
			body = d.merge(body, l.at.node)
			on = append(on, l.Name)
		}
	}
	arm := d.overlaid(from, c.Arm, body)
	arm.Layers = on
	return arm
}

// overlaid is an arm with the settings of another, changed.
func (d *decoder) overlaid(from Arm, name string, body ast.Node) Arm {
	arm := Arm{Name: name, at: from.at}
	arm.at.path, arm.at.node = "arms."+name, body
	d.common(&arm)
	return arm
}

// merge lays a patch over a mapping (RFC 7386): what the patch names is replaced,
// null takes it away, and mappings are merged in the same way.
func (d *decoder) merge(base, patch ast.Node) ast.Node {
	if d.visited++; d.visited > maxNodes {
		return base // aliases that lead back to themselves; value says so
	}
	all := d.pairs(base)
	for _, p := range d.pairs(patch) {
		i := slices.IndexFunc(all, func(have pair) bool { return have.key == p.key })
		value := d.resolve(p.value)
		_, null := value.(*ast.NullNode)
		switch {
		case null && i >= 0:
			all = slices.Delete(all, i, i+1)
		case null:
		case i < 0:
			all = append(all, p)
		case isMapping(value) && isMapping(d.resolve(all[i].value)):
			p.value = d.merge(all[i].value, value)
			all[i] = p
		default:
			all[i] = p
		}
	}
	// Flow style: an error of the whole is shown where the patch begins.
	merged := ast.Mapping(patch.GetToken(), true)
	for _, p := range all {
		if key, ok := p.at.(ast.MapKeyNode); ok {
			merged.Values = append(merged.Values, ast.MappingValue(p.at.GetToken(), key, p.value))
		}
	}
	return merged
}

// common reads what every arm has.
func (d *decoder) common(a *Arm) {
	var f armFields
	for _, field := range d.pairs(a.at.node) {
		if v, ok := fieldByTag(reflect.ValueOf(&f).Elem(), field.key); ok {
			d.value(field.value, v, join(a.at.path, field.key))
		}
	}
	if f.Database != nil {
		f.Database.splitImage()
	}
	a.Target, a.Database, a.Config, a.Factors, a.Price = f.Target, f.Database, f.Config, f.Factors, f.Price
}
