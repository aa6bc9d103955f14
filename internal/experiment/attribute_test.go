package experiment

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// layered is an experiment whose attribution is the given lines.
func layered(lines string) string {
	return `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: layers}
protocol: {rounds: 6, aa: false}
arms:
  bare: {target: process, config: {max_connections: 100}}
  pod: {target: container, qos: Guaranteed}
attribute:
  from: bare
` + lines
}

const threeLayers = `  layers:
    container: {target: container, qos: Burstable, cpuRequest: 100m, config: {max_connections: 200, table_open_cache: 1}}
    quota: {cpu: 1, config: {table_open_cache: null}}
    network: {network: {plugin: bridge}}
`

func cellsOf(t *testing.T, lines string) (*Experiment, []string) {
	t.Helper()
	e, err := Parse("layers.yaml", []byte(layered(lines)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range e.Attribute.Cells() {
		names = append(names, fmt.Sprintf("%03b %s", c.Set, c.Arm))
	}
	return e, names
}

// TestEveryCombination: all feasible combinations become arms, after those of the
// file, and the arm without layers is the baseline.
func TestEveryCombination(t *testing.T) {
	e, cells := cellsOf(t, threeLayers)
	want := []string{"000 bare", "001 container", "010 quota", "100 network", "011 container-quota", "101 container-network",
		"110 quota-network", "111 container-quota-network"}
	if d := cmp.Diff(want, cells); d != "" {
		t.Error(d)
	}
	if e.Baseline != "bare" || len(e.Arms) != 9 || e.Arms[1].Name != "pod" || e.Attribute.Full() != "container-quota-network" {
		t.Errorf("baseline %q, arms %v", e.Baseline, e.Arms.Names())
	}
	if n := len(NewPlan(e).Trials); n != 6*9 {
		t.Errorf("%d trials, want a round of 9 arms 6 times", n)
	}
}

func TestPrecedenceAndChains(t *testing.T) {
	_, cells := cellsOf(t, threeLayers+"  after: {quota: container, network: [container]}\n")
	if d := cmp.Diff([]string{"000 bare", "001 container", "011 container-quota", "101 container-network", "111 container-quota-network"}, cells); d != "" {
		t.Error(d)
	}
	_, cells = cellsOf(t, threeLayers+"  order: [container, network, quota]\n")
	if d := cmp.Diff([]string{"000 bare", "001 container", "101 container-network", "111 container-quota-network"}, cells); d != "" {
		t.Error(d)
	}
	_, cells = cellsOf(t, threeLayers+"  order: [[container, network, quota], [container, quota, network]]\n")
	if d := cmp.Diff([]string{"000 bare", "001 container", "011 container-quota", "101 container-network", "111 container-quota-network"}, cells); d != "" {
		t.Error(d)
	}
}

// TestPatches: what a layer names replaces what stands below, mappings are merged,
// null takes away.
func TestPatches(t *testing.T) {
	e, _ := cellsOf(t, threeLayers)
	full, ok := e.Arm(e.Attribute.Full())
	if !ok || full.Target != "container" {
		t.Fatalf("full stack is %+v", full)
	}
	if d := cmp.Diff(map[string]string{"max_connections": "200"}, full.Config); d != "" {
		t.Error(d)
	}
	var settings struct {
		QoS        string            `yaml:"qos"`
		CPU        string            `yaml:"cpu"`
		CPURequest string            `yaml:"cpuRequest"`
		Network    map[string]string `yaml:"network"`
	}
	if err := full.Decode(&settings); err != nil {
		t.Fatal(err)
	}
	if settings.CPU != "1" || settings.QoS != "Burstable" || settings.Network["plugin"] != "bridge" {
		t.Errorf("settings are %+v", settings)
	}
	if bare, _ := e.Arm("bare"); bare.Config["max_connections"] != "100" {
		t.Errorf("the layers changed the arm they start from: %v", bare.Config)
	}
}

// TestLongNames: names that are longer than a name may be become digits.
func TestLongNames(t *testing.T) {
	e, _ := cellsOf(t, "  layers: {a-rather-long-layer: {cpu: 1}, another-rather-long-layer: {memory: 1Gi}}\n")
	if e.Attribute.Full() != "layers-11" {
		t.Errorf("the full stack is called %q", e.Attribute.Full())
	}
}

func TestImpossibleAttributions(t *testing.T) {
	many := "  layers: {"
	for i := range 7 {
		many += fmt.Sprintf("l%d: {cpu: %d}, ", i, i+1)
	}
	for want, lines := range map[string]string{
		"layers.yaml:9:9: attribute.from: name the arm without any of the layers; the arms are bare, pod": strings.Replace(threeLayers, "  layers", "  to: pod\n  layers", 1),
		"expected at least one layer":                                "",
		"7 layers make 128 combinations":                             strings.TrimSuffix(many, ", ") + "}\n",
		`unknown layer "containr"`:                                   threeLayers + "  after: {quota: containr}\n",
		"an order names every layer once: container, quota, network": threeLayers + "  order: [container, quota]\n",
		"no order of switching on the layers reaches all of them":    threeLayers + "  after: {quota: network, network: quota}\n",
		"name an arm that the layers should add up to":               threeLayers + "  to: nothing\n",
		"layers.yaml:10:12: attribute.layers: unknown layer \"quotta\": did you mean quota?; or write what it changes, quotta: {cpu: 1}": "  layers: [quotta]\n",
		"layers.yaml:10:23: attribute.layers.network: a process has none of a pod's layers; write layers: [container, ..., network]":     "  layers: [neighbour, network]\n",
		"`tare list layers` shows them":                                             "  layers: {quota: [1, 2]}\n",
		`two arms would have the name "pod"`:                                        "  layers: {pod: {cpu: 1}}\n",
		"attribution compares all combinations with \"bare\"; write baseline: bare": threeLayers + "baseline: pod\n",
	} {
		text := layered(lines)
		if strings.Contains(want, "attribute.from:") {
			text = strings.Replace(text, "from: bare", "from: nobody", 1)
		}
		if _, err := Parse("layers.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got:\n%v", want, err)
		}
	}
}

// TestAMistakeInALayerIsSaidOnce: though it stands in half of all arms.
func TestAMistakeInALayerIsSaidOnce(t *testing.T) {
	e, _ := cellsOf(t, strings.Replace(threeLayers, "cpu: 1,", "cpuu: 1,", 1))
	var problems Problems
	for _, arm := range e.Arms {
		var settings struct {
			QoS        string            `yaml:"qos"`
			CPU        string            `yaml:"cpu"`
			CPURequest string            `yaml:"cpuRequest"`
			Network    map[string]string `yaml:"network"`
		}
		var found Problems
		if errors.As(arm.Decode(&settings), &found) {
			problems = append(problems, found...)
		}
	}
	if len(problems) != 4 || strings.Count(problems.Err().Error(), "\n") != 0 {
		t.Errorf("%d problems:\n%v", len(problems), problems.Err())
	}
}

// TestLayersThatHoldThemselves: aliases that lead back do not hang the reader.
func TestLayersThatHoldThemselves(t *testing.T) {
	text := strings.Replace(layered("  layers: {loop: &l {x: *l}}\n"), "bare: {target: process", "bare: &b {x: *b, target: process", 1)
	if e, err := Parse("loop.yaml", []byte(text)); err == nil {
		for _, arm := range e.Arms {
			_ = arm.Decode(&struct {
				X map[string]string `yaml:"x"`
			}{})
		}
	}
}
