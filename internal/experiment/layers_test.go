package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// names are those of the combinations.
func cellNames(t *testing.T, lines string) []string {
	t.Helper()
	_, cells := cellsOf(t, lines)
	for i, c := range cells {
		_, cells[i], _ = strings.Cut(c, " ")
	}
	return cells
}

// TestKnownLayers: names stand for patches, each after those it needs, among
// layers that are written out.
func TestKnownLayers(t *testing.T) {
	for lines, want := range map[string][]string{
		"  layers: [container, quota]\n":                                {"bare", "container", "container-quota"},
		"  layers: {container: , quota: 500m}\n":                        {"bare", "container", "container-quota"},
		"  layers: [container, network, service]\n":                     {"bare", "container", "container-network", "container-network-service"},
		"  layers: [container, mine: {config: {max_connections: 1}}]\n": {"bare", "container", "mine", "container-mine"},
		"  layers: [quota, container]\n  after: {quota: []}\n":          {"bare", "quota", "container", "quota-container"},
	} {
		if d := cmp.Diff(want, cellNames(t, lines)); d != "" {
			t.Errorf("%s%s", lines, d)
		}
	}
}

// TestKnownPatches: every patch is YAML, changes what it says, and every layer
// that one needs is known.
func TestKnownPatches(t *testing.T) {
	var names []string
	for _, k := range KnownLayers() {
		names = append(names, k.Name)
	}
	for _, k := range KnownLayers() {
		e, err := Parse("layers.yaml", []byte(strings.Replace(layered("  layers: ["+k.Name+"]\n"), "from: bare", "from: pod", 1)))
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		arm, _ := e.Arm(e.Attribute.Full())
		if arm.Target != "container" || !slices.Equal(arm.Layers, []string{k.Name}) {
			t.Errorf("%s makes %+v", k.Name, arm)
		}
		for _, need := range k.Needs {
			if !slices.Contains(names, need) {
				t.Errorf("%s needs %s, which is none", k.Name, need)
			}
		}
	}
}

// TestMistakesOfKnownLayers: what a target has against a known layer is said
// where its name stands.
func TestMistakesOfKnownLayers(t *testing.T) {
	e, _ := cellsOf(t, "  layers: [container, quota: 500m, network]\n")
	arm, _ := e.Arm("container-quota-network")
	var settings struct {
		QoS    string            `yaml:"qos"`
		Weight bool              `yaml:"weight"`
		Quota  string            `yaml:"quota"`
		Client map[string]string `yaml:"client"`
	}
	err := arm.Decode(&settings)
	if want := "layers.yaml:10:36: arms.container-quota-network.client: expected names with values"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if settings.Quota != "500m" {
		t.Errorf("settings %+v", settings)
	}
	if p := arm.Problem("quota", "x"); fmt.Sprint(p.Line, ":", p.Column) != "10:30" {
		t.Errorf("%v", p)
	}
}

// TestOwnLayers: the example of a layer that makes a pod Guaranteed takes away the requests that the arm has, or its arm
// would be refused.
func TestOwnLayers(t *testing.T) {
	if got, want := OwnLayers(Arm{Target: "kubernetes"}), "layers: {quota: {qos: Guaranteed, cpu: 1, memory: 2Gi}, service: {address: service}}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	e, err := Parse("x.yaml", []byte("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\narms:\n"+
		"  a: {target: kubernetes, qos: Burstable, cpuRequest: 500m, memoryRequest: 512Mi}\n  b: {target: kubernetes, qos: BestEffort}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := OwnLayers(e.Arms[0]), "cpu: 1, memory: 2Gi, cpuRequest: null, memoryRequest: null}"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLayersTo: the settings in which two arms differ are layers that a file can have, and with all of them the arm is the other.
func TestLayersTo(t *testing.T) {
	for arms, want := range map[string][]string{
		"a: {target: kubernetes, address: pod}\n  b: {target: kubernetes, address: pod, clientNode: n2}": {"clientnode: {clientNode: n2}"},
		"a: {target: kubernetes, qos: BestEffort}\n  b: {target: kubernetes, qos: Guaranteed, cpu: 1, memory: 2Gi, address: service, neighbour: {cpu: 1}}": {"address: {address: service}",
			"quota: {qos: Guaranteed, cpu: 1, memory: 2Gi}"},
		"a: {target: process, config: {sync_binlog: 1, max_connections: 200}}\n  b: {target: process, config: {sync_binlog: 0, innodb_buffer_pool_size: 1G}}": {"sync-binlog: {config: {sync_binlog: 0}}",
			"innodb-buffer-pool-size: {config: {innodb_buffer_pool_size: 1G}}", "max-connections: {config: {max_connections: null}}"},
		"a: {target: process}\n  b: {target: process}": nil,
	} {
		text := "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\narms:\n  " + arms + "\n"
		e, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := e.Arms[0].LayersTo(e.Arms[1])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", arms, diff)
		}
		if len(got) < 2 {
			continue
		}
		if _, err := Parse("x.yaml", []byte(text+"attribute:\n  from: a\n  to: b\n  layers:\n    "+strings.Join(got, "\n    ")+"\n")); err != nil {
			t.Errorf("%s: %v", arms, err)
		}
	}
}
