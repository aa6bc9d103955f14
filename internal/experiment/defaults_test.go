package experiment

import (
	"strings"
	"testing"
)

const defaultsSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
baseline: bare
defaults: {target: container, qos: Burstable, cpuRequest: "1", network: {plugin: bridge}, config: {sync_binlog: 0}}
arms:
  bare: {target: process, qos: null, cpuRequest: null, network: null}
  same: {}
  empty:
  loss: {network: {loss: 2%}, config: {sync_binlog: 1}}
`

// TestArmDefaults: an arm is a merge patch of the defaults, wherever they are in the file.
func TestArmDefaults(t *testing.T) {
	defaults, _, _ := strings.Cut(defaultsSpec[strings.Index(defaultsSpec, "defaults:"):], "\n")
	last := strings.Replace(defaultsSpec, defaults+"\n", "", 1) + defaults + "\n"
	for _, spec := range []string{defaultsSpec, last} {
		e, err := Parse("x.yaml", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"bare":  "{target: process, config: {sync_binlog: 0}}",
			"same":  `{target: container, qos: Burstable, cpuRequest: "1", network: {plugin: bridge}, config: {sync_binlog: 0}}`,
			"empty": `{target: container, qos: Burstable, cpuRequest: "1", network: {plugin: bridge}, config: {sync_binlog: 0}}`,
			"loss":  `{target: container, qos: Burstable, cpuRequest: "1", network: {plugin: bridge, loss: 2%}, config: {sync_binlog: 1}}`,
		} {
			if a, ok := e.Arm(name); !ok || !a.Same(want) {
				t.Errorf("arm %s is %s, want %s", name, a.Settings(), want)
			}
		}
		if a, _ := e.Arm("loss"); a.Target != "container" || a.Config["sync_binlog"] != "1" {
			t.Errorf("arm loss has target %s and config %v", a.Target, a.Config)
		}
	}
}

// TestArmDefaultsGoIntoDerived: a derived experiment has the settings in its arms, and
// none that an arm had taken away.
func TestArmDefaultsGoIntoDerived(t *testing.T) {
	e, err := Parse("x.yaml", []byte(defaultsSpec))
	if err != nil {
		t.Fatal(err)
	}
	bare, _ := e.Arm("bare")
	loss, _ := e.Arm("loss")
	text, err := e.Derive(Derived{Name: "y", Arms: []DerivedArm{{"bare", bare.Settings()}, {"loss", loss.Settings()}}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("y.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Arm{bare, loss} {
		if b, _ := again.Arm(a.Name); a.Canonical() != b.Canonical() {
			t.Errorf("arm %s became %s", a.Settings(), b.Settings())
		}
	}
}

// TestWrongArmDefaults: a mistake is shown where it was written.
func TestWrongArmDefaults(t *testing.T) {
	_, err := Parse("x.yaml", []byte(strings.Replace(defaultsSpec, "defaults: {", "defaults: [{", 1)))
	if err == nil {
		t.Error("a list is taken for defaults")
	}
	_, err = Parse("x.yaml", []byte(strings.Replace(defaultsSpec, `cpuRequest: "1", network: {plugin: bridge}, config: {sync_binlog: 0}}`, "config: 1}", 1)))
	if err == nil || !strings.Contains(err.Error(), "x.yaml:5:") {
		t.Errorf("error %v, want one at line 5", err)
	}
	_, err = Parse("x.yaml", []byte(strings.Replace(defaultsSpec, "defaults: {", "defaults: 7 # {", 1)))
	if err == nil || !strings.Contains(err.Error(), "defaults: expected settings of an arm") {
		t.Errorf("error %v", err)
	}
}
