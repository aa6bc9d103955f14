package kubernetes

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestNodeSelector: the pod runs on nodes with the arm's labels and, where it names one, on
// that node; the pod of manifests or of an operator is placed there.
func TestNodeSelector(t *testing.T) {
	zone := map[string]string{corev1.LabelTopologyZone: "eu-1a"}
	for _, c := range []struct {
		settings Settings
		want     map[string]string
	}{
		{Settings{Image: "m"}, nil},
		{Settings{Image: "m", Node: "n1"}, map[string]string{corev1.LabelHostname: "n1"}},
		{Settings{Image: "m", NodeSelector: zone}, zone},
		{Settings{Image: "m", Node: "n1", NodeSelector: zone}, map[string]string{corev1.LabelHostname: "n1", corev1.LabelTopologyZone: "eu-1a"}},
	} {
		s := &server{target: offline(c.settings)}
		if d := cmp.Diff(c.want, s.podSpec().NodeSelector); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.settings, d)
		}
	}
	for _, s := range []Settings{
		{Image: "m", NodeSelector: map[string]string{"a b": "c"}},
		{Operator: "innodbcluster", NodeSelector: zone},
		{Manifests: []string{"x"}, NodeSelector: zone},
	} {
		if err := errors.Join(s.contradictions()...); err == nil || !strings.Contains(err.Error(), "nodeSelector: ") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
