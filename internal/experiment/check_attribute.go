package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// attribute says what of the attribution is impossible.
func (c *checker) attribute() {
	a := c.e.Attribute
	if a == nil {
		return
	}
	arm, from := c.e.Arm(a.From)
	c.want(from, "attribute.from", "name the arm without any of the layers; the arms are %s", strings.Join(c.declared(), ", "))
	c.want(c.e.Baseline == a.From || !from, "baseline", "attribution compares all combinations with %q; write baseline: %s", a.From, a.From)
	_, to := c.e.Arm(a.To)
	c.want(a.To == "" || to && a.To != a.From, "attribute.to", "name an arm that the layers should add up to, or leave it out; the arms are %s", strings.Join(c.declared(), ", "))
	for _, l := range a.Layers {
		c.want(ValidName(l.Name), "attribute.layers."+l.Name, "expected a name of at most 40 lower-case letters, digits and dashes")
	}
	for _, l := range a.homeless(arm) {
		c.found = append(c.found, l.at.problem("", "a process has none of a pod's layers; write layers: [container, ..., %s], or an arm of target container as from:", l.Name))
	}
	if foreign := a.foreign(arm); len(foreign) > 0 {
		c.want(false, "attribute.layers", "%s", foreignLayers(foreign, arm))
	}
	for _, name := range slices.Sorted(maps.Keys(a.After)) {
		for _, n := range append([]string{name}, a.After[name]...) {
			c.want(a.index(n) >= 0, "attribute.after."+name, "unknown layer %q; the layers are %s", n, strings.Join(a.names(), ", "))
		}
	}
	c.chains(a)
	if wrong := a.mistaken(); wrong != "" {
		c.want(false, "attribute", "%s", wrong)
	}
	seen := map[string]bool{}
	for _, arm := range c.e.Arms {
		c.want(!seen[arm.Name], "attribute.layers", "two arms would have the name %q; rename a layer", arm.Name)
		seen[arm.Name] = true
	}
}

// foreignLayers says what to write in place of known layers that are not for the target of an arm.
func foreignLayers(names []string, from Arm) string {
	what, are := "layer", "is"
	if len(names) > 1 {
		what, are = "layers", "are"
	}
	all := strings.Join(names, ", ")
	if last := len(names) - 1; last > 0 {
		all = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return fmt.Sprintf("the known %s %s %s not for target %s, which arm %s has; give a layer of your own with the settings that it changes, for example %s; `tare list layers` shows the targets, docs/spec.md (Attribution) how to write layers",
		what, all, are, from.Target, from.Name, OwnLayers(from))
}

// OwnLayers is an example of layers of an arm whose target has few or none that are known by a name. A layer that makes the
// pod Guaranteed takes the requests of the arm away.
func OwnLayers(from Arm) string {
	if from.Target == "kubernetes" {
		without := ""
		for _, request := range []string{"cpuRequest", "memoryRequest"} {
			if from.Has(request) {
				without += ", " + request + ": null"
			}
		}
		return "layers: {quota: {qos: Guaranteed, cpu: 1, memory: 2Gi" + without + "}, service: {address: service}}"
	}
	return "layers: {path: {address: db.example.com}}"
}

// declared are the arms of the file.
func (c *checker) declared() []string {
	var all []string
	for _, a := range c.e.Arms {
		if len(a.Layers) == 0 {
			all = append(all, a.Name)
		}
	}
	return all
}

func (c *checker) chains(a *Attribute) {
	for _, chain := range a.Order {
		sorted, layers := slices.Clone(chain), a.names()
		slices.Sort(sorted)
		slices.Sort(layers)
		c.want(slices.Equal(sorted, layers), "attribute.order", "an order names every layer once: %s", strings.Join(a.names(), ", "))
	}
}

func (a *Attribute) names() []string {
	all := make([]string, len(a.Layers))
	for i, l := range a.Layers {
		all[i] = l.Name
	}
	return all
}

// maxLayers bounds the combinations that are even counted.
const maxLayers = 10

// mistaken says why there is no set of combinations to measure.
func (a *Attribute) mistaken() string {
	k := len(a.Layers)
	switch {
	case k == 0:
		return "expected at least one layer, for example layers: {quota: {cpu: 1}}"
	case k > maxLayers:
		return fmt.Sprintf("%d layers are too many; at most %d are possible", k, maxLayers)
	}
	if n := len(a.Cells()); n > maxCells {
		return fmt.Sprintf("%d layers make %d combinations, each an arm in every round; at most %d are measured: write order: [%s] to measure them one on top of the other",
			k, n, maxCells, strings.Join(a.names(), ", "))
	}
	if !a.reachable() {
		return "no order of switching on the layers reaches all of them; check after: and order:"
	}
	return ""
}

// reachable says that some order leads from none to all, one layer at a time.
func (a *Attribute) reachable() bool {
	all := 1<<len(a.Layers) - 1
	can := make([]bool, all+1)
	can[0] = a.Feasible(0)
	for set := 1; set <= all; set++ {
		for i := range a.Layers {
			if set>>i&1 == 1 && can[set&^(1<<i)] && a.Feasible(set) {
				can[set] = true
			}
		}
	}
	return can[all]
}
