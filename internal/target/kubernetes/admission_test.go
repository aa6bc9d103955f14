package kubernetes

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/node"
)

// TestCheckAdmission: a check names the defaults that a LimitRange will set for an arm's pod, and the quota that does not
// admit the pod or those of the load. What the credentials may not list, and a quota with scopes, are no errors.
func TestCheckAdmission(t *testing.T) {
	const namespace = "/api/v1/namespaces/tare/"
	limits := map[string]any{"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "lr"}, "spec": map[string]any{"limits": []any{
		map[string]any{"type": "Container", "default": map[string]any{"cpu": "500m", "memory": "512Mi"}, "defaultRequest": map[string]any{"cpu": "100m", "memory": "256Mi"}},
	}}}
	quota := func(hard map[string]any, scopes ...any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": map[string]any{"name": "q"}, "spec": map[string]any{"scopes": scopes}, "status": map[string]any{"hard": hard}}
	}
	used := func(hard, used map[string]any) map[string]any {
		q := quota(hard)
		q["status"].(map[string]any)["used"] = used
		return q
	}
	bounds := func(item map[string]any) map[string]map[string]any {
		return map[string]map[string]any{"limitranges/lr": {"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "lr"}, "spec": map[string]any{"limits": []any{item}}}}
	}
	needsLimits := quota(map[string]any{"limits.cpu": "8", "requests.cpu": "4"})
	nolimit := Settings{Image: "m", CPURequest: 300, MemoryRequest: 800 << 20, Memory: 1 << 30}
	guaranteed := Settings{Image: "m", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30}
	loaded := Settings{Image: "m", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, Clients: 1, ClientImage: "tare:1"}
	for name, c := range map[string]struct {
		settings Settings
		objects  map[string]map[string]any
		denied   string
		err      string // part of it, "" for none
		note     string // part of one, "" for none of a LimitRange
	}{
		"nothing there":             {nolimit, nil, "", "", ""},
		"a CPU limit":               {nolimit, map[string]map[string]any{"limitranges/lr": limits}, "", "", "LimitRange lr sets a CPU limit of 500m: the arm does not set it"},
		"all is asked for":          {guaranteed, map[string]map[string]any{"limitranges/lr": limits}, "", "", ""},
		"of another class":          {Settings{Image: "m"}, map[string]map[string]any{"limitranges/lr": limits}, "", "", "LimitRange lr sets a memory request of 256Mi: the arm does not set it, and its pod runs with it; its class is then Burstable"},
		"ranges may not be listed":  {nolimit, map[string]map[string]any{"limitranges/lr": limits}, "limitranges", "", "these credentials may not list limitranges"},
		"a quota of limits":         {nolimit, map[string]map[string]any{"resourcequotas/q": needsLimits}, "", "qos: ResourceQuota q refuses pods that do not set limits.cpu; write qos: Guaranteed", ""},
		"and a range":               {nolimit, map[string]map[string]any{"resourcequotas/q": needsLimits, "limitranges/lr": limits}, "", "", "CPU limit of 500m"},
		"and a range not known":     {nolimit, map[string]map[string]any{"resourcequotas/q": needsLimits}, "limitranges", "", "not checked: whether a LimitRange"},
		"a quota of other pods":     {nolimit, map[string]map[string]any{"resourcequotas/q": quota(map[string]any{"limits.cpu": "8"}, "BestEffort")}, "", "", ""},
		"quotas may not be listed":  {nolimit, map[string]map[string]any{"resourcequotas/q": needsLimits}, "resourcequotas", "", ""},
		"a quota that is kept":      {guaranteed, map[string]map[string]any{"resourcequotas/q": needsLimits}, "", "", ""},
		"a quota that is too small": {guaranteed, map[string]map[string]any{"resourcequotas/q": quota(map[string]any{"limits.cpu": "500m"})}, "", "qos: ResourceQuota q allows limits.cpu 500m, and one pod has 1", ""},
		"a request above the default limit": {Settings{Image: "m", MemoryRequest: 768 << 20}, bounds(map[string]any{"type": "Container", "default": map[string]any{"memory": "512Mi"}}), "",
			"memory: the API server refuses the pod: it requests 768Mi memory, and its limit is 512Mi, which LimitRange lr sets; write memory: 768Mi or more, or a memoryRequest of at most 512Mi", ""},
		"a limit above max":           {guaranteed, bounds(map[string]any{"type": "Container", "max": map[string]any{"memory": "512Mi"}}), "", "LimitRange lr allows at most 512Mi memory of one container, and the limit is 1Gi", ""},
		"a request below min":         {nolimit, bounds(map[string]any{"type": "Container", "min": map[string]any{"cpu": "400m"}}), "", "cpu: the API server refuses the pod: LimitRange lr wants at least 400m CPU of one container, and the request is 300m", ""},
		"a ratio above the most":      {Settings{Image: "m", CPURequest: 100, CPU: 1000, MemoryRequest: 1 << 30, Memory: 1 << 30}, bounds(map[string]any{"type": "Pod", "maxLimitRequestRatio": map[string]any{"cpu": "4"}}), "", "LimitRange lr allows a limit of CPU of one pod that is at most 4 times the request, and 1 is more than that of 100m", ""},
		"load pods below min":         {loaded, bounds(map[string]any{"type": "Pod", "min": map[string]any{"memory": "64Mi"}}), "", "clients: the API server refuses the pods of the load: LimitRange lr wants at least 64Mi memory of one pod, and nothing is requested", ""},
		"within bounds":               {guaranteed, bounds(map[string]any{"type": "Container", "max": map[string]any{"memory": "1Gi"}, "min": map[string]any{"cpu": "1"}}), "", "", ""},
		"a quota of pods":             {loaded, map[string]map[string]any{"resourcequotas/q": quota(map[string]any{"pods": "1"})}, "", "namespace: ResourceQuota q of namespace tare leaves pods: 1, and one database of the arm, with its neighbour and its load pods, needs 2; have the quota raised", ""},
		"a quota that is used":        {guaranteed, map[string]map[string]any{"resourcequotas/q": used(map[string]any{"requests.cpu": "2"}, map[string]any{"requests.cpu": "1500m"})}, "", "leaves requests.cpu: 500m, and one database of the arm, with its neighbour and its load pods, needs 1000m", ""},
		"load pods without limits":    {loaded, map[string]map[string]any{"resourcequotas/q": needsLimits}, "", "clients: ResourceQuota q refuses pods that do not set requests.cpu, limits.cpu. Pods of the load set no limits, which would throttle them, and no memory; leave clients out", ""},
		"load pods with those of one": {loaded, map[string]map[string]any{"resourcequotas/q": needsLimits, "limitranges/lr": limits}, "", "", "pods of the load: LimitRange lr sets a CPU limit of 500m, LimitRange lr sets a memory limit of 512Mi"},
	} {
		g := &guarded{denied: scopedRight{"tare", right{"list", "", c.denied, ""}}}
		c.settings.Kubeconfig, c.settings.Namespace = guardedCluster(t, g), "tare"
		for at, o := range c.objects {
			g.objects[namespace+at] = o
		}
		made, err := arm(func(into any) error { *into.(*Settings) = c.settings; return nil })
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, err := range made.Check(t.Context()) {
			said = append(said, err.Error())
		}
		if got := strings.Join(said, "\n"); (got == "") != (c.err == "") || !strings.Contains(got, c.err) {
			t.Errorf("%s: %q, want %q", name, got, c.err)
		}
		if limit := made.Capabilities().MemoryLimit; name == "of another class" && limit != 512<<20 {
			t.Errorf("%s: a memory limit of %d bytes, which the LimitRange does not give", name, limit)
		}
		notes := strings.Join(made.Notes(), "\n")
		if strings.Contains(notes, "LimitRange") != (c.note != "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}
