package kubernetes

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// surveyOf looks at the stand-in of an API server.
func surveyOf(t *testing.T, g *guarded, objects map[string]map[string]any) (Survey, error) {
	t.Helper()
	kubeconfig := guardedCluster(t, g)
	for path, o := range objects {
		g.objects[path] = o
	}
	return Look(t.Context(), Where{Kubeconfig: kubeconfig, Namespace: "tare"}, "")
}

// TestSurvey: the node, the sizes and what is left out follow from what the cluster says and allows.
func TestSurvey(t *testing.T) {
	deny := func(verb, resource string) func(right) bool {
		return func(r right) bool { return r.verb == verb && r.resource == resource && r.subresource == "" }
	}
	quota := map[string]map[string]any{"/api/v1/namespaces/tare/resourcequotas/small": {
		"apiVersion": "v1", "kind": "ResourceQuota", "metadata": map[string]any{"name": "small"},
		"status": map[string]any{
			"hard": map[string]any{"requests.cpu": "3", "limits.memory": "6Gi", "limits.cpu": "6", "pods": "20", "count/pods": "12"},
			"used": map[string]any{"requests.cpu": "1", "limits.memory": "1Gi", "limits.cpu": "4", "pods": "2", "count/pods": "2"},
		},
	}}
	limits := map[string]map[string]any{"/api/v1/namespaces/tare/limitranges/usual": {
		"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "usual"},
		"spec": map[string]any{"limits": []any{map[string]any{"type": "Container", "default": map[string]any{"cpu": "500m"}, "max": map[string]any{"memory": "3Gi"}}}},
	}}
	pod := map[string]map[string]any{"/api/v1/namespaces/tare/pods/db-0": {
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "db-0"}, "spec": map[string]any{"nodeName": "n7"}, "status": map[string]any{"phase": "Running"},
	}}
	for _, c := range []struct {
		name    string
		g       *guarded
		objects map[string]map[string]any
		want    func(Survey) bool
	}{
		{"a node with room", &guarded{}, nil, func(s Survey) bool {
			return s.Node == "n1" && !s.Assumed && s.Free == (node.Resources{CPU: 4000, Memory: 8 << 30}) && s.NoBestEffort+s.NoNeighbour+s.NoLoadPods == "" && len(s.Notes) == 0
		}},
		{"a quota", &guarded{}, quota, func(s Survey) bool {
			return s.Free == (node.Resources{CPU: 2000, Memory: 5 << 30}) && s.Limits == s.Free && s.Pods == (Count{10, true, "small"}) && s.NoBestEffort+s.NoLoadPods == "" // the pod without requests is admitted
		}},
		{"a quota, and pods may not be made", &guarded{lacks: deny("create", "pods")}, quota, func(s Survey) bool {
			return strings.Contains(s.NoBestEffort, "ResourceQuota small") && strings.Contains(s.NoBurstable, "limits.") && strings.Contains(s.NoLoadPods, "limits.")
		}},
		{"a range", &guarded{}, limits, func(s Survey) bool {
			return s.Most == (node.Resources{CPU: 500, Memory: 3 << 30}) && s.Default == (node.Resources{CPU: 500}) && s.Given.CPU == 500 && strings.Contains(s.NoBestEffort, "LimitRange usual") && s.NoLoadPods == ""
		}},
		{"no rights on nodes", &guarded{denied: scopedRight{"", right{"list", "", "nodes", ""}}}, pod, func(s Survey) bool {
			return s.Node == "n7" && s.Assumed && len(s.Notes) == 0 && strings.Contains(s.NodeAssumed, "may not list nodes")
		}},
		{"no rights on nodes, and no pod", &guarded{denied: scopedRight{"", right{"list", "", "nodes", ""}}}, nil, func(s Survey) bool {
			return s.Node == "" && s.MayPlace && strings.Contains(s.NodeUnknown, "--node-name")
		}},
		{"no rights on jobs", &guarded{lacks: deny("create", "jobs")}, nil, func(s Survey) bool {
			return s.NoNeighbour == "" && strings.Contains(s.NoLoadPods, `- {apiGroups: [batch], resources: [jobs], verbs: [create]}`)
		}},
		{"no rights on pods", &guarded{lacks: deny("create", "pods")}, nil, func(s Survey) bool {
			return s.NoLoadPods == "" && strings.Contains(s.NoNeighbour, `resources: [pods], verbs: [create]`)
		}},
	} {
		s, err := surveyOf(t, c.g, c.objects)
		if err != nil || !c.want(s) {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
}

// TestSurveyRefused: without what every arm needs there is no experiment, and the rule is named; a
// cluster that does not answer is no mistake.
func TestSurveyRefused(t *testing.T) {
	_, err := surveyOf(t, &guarded{lacks: func(r right) bool { return r.resource == "statefulsets" && r.verb == "create" }}, nil)
	if err == nil || errors.As(err, &target.Unavailable{}) || !strings.Contains(err.Error(), "    - {apiGroups: [apps], resources: [statefulsets], verbs: [create]}") {
		t.Errorf("without StatefulSets: %v", err)
	}
	s, err := surveyOf(t, &guarded{denied: scopedRight{"tare", right{"list", "", "resourcequotas", ""}}}, nil)
	if notes := strings.Join(s.Notes, "\n"); err != nil || !strings.Contains(notes, `The missing rule of a Role: - {apiGroups: [""], resources: [resourcequotas], verbs: [list]}`) {
		t.Errorf("without ResourceQuotas: %v\n%s", err, notes)
	}
	at := Where{Kubeconfig: kubeconfigFor(t, "http://127.0.0.1:1")}
	if _, err := Look(t.Context(), at, ""); !errors.As(err, &target.Unavailable{}) {
		t.Errorf("nobody listens: %v", err)
	}
	if s := Assume(at); !s.Assumed || s.Server != "http://127.0.0.1:1" || s.Namespace != "tare" || len(s.Notes) != 1 {
		t.Errorf("assumed: %+v", s)
	}
}

// TestSurveyWithoutNamespace: a namespace that does not exist is said before anything is started.
func TestSurveyWithoutNamespace(t *testing.T) {
	g := &guarded{}
	guardedCluster(t, g)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			reply(w, http.StatusNotFound, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
				"message": `namespaces "nosuch" not found`, "details": map[string]any{"name": "nosuch", "kind": "namespaces"}})
			return
		}
		g.ServeHTTP(w, r)
	}))
	defer api.Close()
	_, err := Look(t.Context(), Where{Kubeconfig: kubeconfigFor(t, api.URL), Namespace: "nosuch"}, "")
	if of := (NoNamespace{}); !errors.As(err, &of) || of.Name != "nosuch" || err.Error() != "namespace nosuch does not exist" {
		t.Error(err)
	}
}
