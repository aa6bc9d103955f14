package kubernetes

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/tarebench/tare/internal/target"
)

// TestInsideEveryTrial: the pod of an operator's database is the same in every trial, and each
// trial's load runs in it.
func TestInsideEveryTrial(t *testing.T) {
	g := &guarded{}
	there, err := connect(Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/namespaces/tare/pods/tare-1-0"
	g.objects[path] = map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "tare-1-0", "namespace": "tare"}}
	k := &Kubernetes{id: "tare-1", cluster: there, settings: Settings{Operator: "innodbcluster", Client: samePodClient, ClientImage: "tare:1"}}
	for _, trial := range []string{"trial-1", "trial-2"} {
		s := &server{target: k, name: "tare-1-0", request: target.Request{Name: trial}}
		lines := 0
		err := s.Generate(t.Context(), []byte("{}"), func(int, []byte) error { lines++; return nil })
		if err != nil || lines == 0 {
			t.Errorf("%s: %d lines, %v", trial, lines, err)
		}
		c := s.insideContainer()
		secret := c.Env[2].ValueFrom.SecretKeyRef.Name
		if wrong := validation.IsDNS1123Label(c.Name); len(wrong) > 0 || g.objects["/api/v1/namespaces/tare/secrets/"+secret] == nil {
			t.Errorf("%s: container %s %v reads Secret %s, which must be there", trial, c.Name, wrong, secret)
		}
	}
	if all, _ := nested(g.objects[path], "spec")["ephemeralContainers"].([]any); len(all) != 2 {
		t.Errorf("containers of the load in the pod: %v", all)
	}
}

// TestInsideOwnPod: the name in a pod of a trial's own, which people know from its log, stays.
func TestInsideOwnPod(t *testing.T) {
	s := &server{target: offline(Settings{Image: "m", Client: samePodClient, ClientImage: "tare:1"}), request: target.Request{Name: "trial-1"}}
	if c := s.insideContainer(); c.Name != "load" || s.loadName() != s.target.id+"-load" {
		t.Errorf("container %s, Secret %s", c.Name, s.loadName())
	}
}
