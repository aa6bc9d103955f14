package kubernetes

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden holds an object of the API against its file in testdata.
func golden(t *testing.T, name string, object any) {
	t.Helper()
	got, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".yaml")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// offline is a target that no cluster is behind.
func offline(s Settings) *Kubernetes {
	return &Kubernetes{settings: s.defaulted(), cluster: &cluster{holds: &holdings{}, namespace: "tare"}, id: "tare-1f2e3d4c", owner: `{"pid":1}`}
}

// TestProbePod: the pod sees its node and can change nothing there.
func TestProbePod(t *testing.T) {
	k := offline(Settings{Image: "m", ClientImage: "tare:1", ProbeNamespace: "tare-probe"})
	golden(t, "probe-pod", k.probePod(k.settings.supply("m"), "t1", "n2", []string{"--container", "9d2c", "--data", "/mnt/tare/data/"}))
}

// TestProbesAreFound: whatever of an arm a crash has left says where its probe pods
// are.
func TestProbesAreFound(t *testing.T) {
	k := offline(Settings{Image: "m", ClientImage: "tare:1", ProbeNamespace: "tare-probe"})
	if got := k.meta("x").Annotations[probeAnnotation]; got != "tare-probe" {
		t.Errorf("probe pods are in %q", got)
	}
	s := Settings{ProbeNamespace: "tare-probe"}
	mark := unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"node": "bjI=", "image": "bQ=="}}}
	if err := s.readHostPath(mark); err != nil || s.Node != "n2" || s.Image != "m" || s.Volume != hostPathVolume || s.ProbeNamespace != "tare-probe" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAdvisedProbe: a refusal is followed by what to do.
func TestAdvisedProbe(t *testing.T) {
	c := &cluster{holds: &holdings{}, namespace: "tare"}
	err := c.advisedProbe(errors.New(`pods "x" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)`))
	if !strings.Contains(err.Error(), "docs/kubernetes-rbac.yaml") {
		t.Error(err)
	}
	if other := errors.New("timeout"); c.advisedProbe(other).Error() != other.Error() || c.advisedProbe(nil) != nil {
		t.Error("advice about nothing known")
	}
}
