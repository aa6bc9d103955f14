package kubernetes

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// guardedRun is a run that was started at a guarded API server, and its objects' names after their kinds.
func guardedRun(t *testing.T, g *guarded, account string) (r *Remote, name string) {
	t.Helper()
	r, err := ConnectRemote(Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	run := inCluster()
	run.Account = account
	if name, err = r.Start(t.Context(), run, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	return r, name
}

// ofRun are the kinds of which a run has objects.
func (g *guarded) ofRun(name string) (kinds []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for path, o := range g.objects {
		if nested(o, "metadata", "labels")[runLabel] == name {
			parts := strings.Split(path, "/")
			kinds = append(kinds, parts[len(parts)-2])
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// deny refuses a verb on a kind of the namespace.
func (g *guarded) deny(verb, group, resource string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.denied = scopedRight{"tare", right{verb, group, resource, ""}}
}

const rbacGroup = "rbac.authorization.k8s.io"

// TestRemoveRefused: a kind that may not be listed is removed by the run's name, one that may not be removed is named, and
// neither keeps the volume; an account that is not the run's is not touched.
func TestRemoveRefused(t *testing.T) {
	for _, c := range []struct {
		verb, group, kind, account string
		left                       []string
		said                       string // of the error, "" for none
	}{
		{"list", rbacGroup, "rolebindings", "", nil, ""},
		{"list", rbacGroup, "rolebindings", "tare", nil, ""},
		{"delete", rbacGroup, "rolebindings", "tare", nil, ""},
		{"delete", rbacGroup, "rolebindings", "", []string{"rolebindings"}, "may not delete rolebindings.rbac.authorization.k8s.io/tare-run-first; whoever may removes what there is of it with: kubectl delete --ignore-not-found --namespace tare rolebindings.rbac.authorization.k8s.io/tare-run-first"},
	} {
		g := &guarded{}
		r, name := guardedRun(t, g, c.account)
		g.deny(c.verb, c.group, c.kind)
		if run, err := r.Run(t.Context(), name); err != nil || run.Name != name {
			t.Errorf("%+v: %+v, %v", c, run, err)
		}
		err := r.Remove(t.Context(), name, nil, &bytes.Buffer{})
		if (err == nil) != (c.said == "") || err != nil && !strings.Contains(err.Error(), c.said) {
			t.Errorf("%+v: %v", c, err)
		}
		if left := g.ofRun(name); !slices.Equal(left, c.left) {
			t.Errorf("%+v: left %v", c, left)
		}
	}
}

// TestFailedStart: what a start has made before a refusal is removed, also without the permission to list what it has not made.
func TestFailedStart(t *testing.T) {
	g := &guarded{denied: scopedRight{"tare", right{"patch", rbacGroup, "roles", ""}}}
	r, err := ConnectRemote(Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Start(t.Context(), inCluster(), &bytes.Buffer{}); err == nil || strings.Contains(err.Error(), "rolebindings") {
		t.Error(err)
	}
	if left := g.ofRun("tare-run-first"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestStartsInOneSecond: the second of two runs of one name has another.
func TestStartsInOneSecond(t *testing.T) {
	g := &guarded{}
	r, first := guardedRun(t, g, "")
	second, err := r.Start(t.Context(), inCluster(), &bytes.Buffer{})
	if err != nil || first != "tare-run-first" || second != "tare-run-first-2" {
		t.Errorf("%s, %s, %v", first, second, err)
	}
	if a, b := g.ofRun(first), g.ofRun(second); len(a) < 6 || !slices.Equal(a, b) {
		t.Errorf("%v, %v", a, b)
	}
}

// TestCleanRuns: force stops a run and keeps its volume; without force a run goes on. Leftovers without a Job are removed, but
// by force only where the volume may have results or the start may be under way.
func TestCleanRuns(t *testing.T) {
	g := &guarded{}
	r, name := guardedRun(t, g, "")
	clean := func(force bool) (int, string) {
		var said bytes.Buffer
		n, err := r.cluster.clean(t.Context(), force, timeOfArm, &said)
		if err != nil {
			t.Error(err)
		}
		return n, said.String()
	}
	if n, said := clean(false); n != 0 || said != "" {
		t.Errorf("a run that goes on: %d, %s", n, said)
	}
	n, said := clean(true)
	run, err := r.Run(t.Context(), name)
	if n != 1 || !strings.Contains(said, "run tare-run-first is stopped") || err != nil || run.State != "stopped" || !slices.Contains(g.ofRun(name), "persistentvolumeclaims") {
		t.Errorf("%d, %s; %+v, %v", n, said, run, err)
	}
	set := func(path string, to any, fields ...string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		last := len(fields) - 1
		nested(g.objects[path], fields[:last]...)[fields[last]] = to
	}
	claim := "/api/v1/namespaces/tare/persistentvolumeclaims/" + name
	if err := r.cluster.remove(t.Context(), jobs, name); err != nil {
		t.Fatal(err)
	}
	set(claim, "Bound", "status", "phase")
	if n, said := clean(false); n != 0 || !strings.Contains(said, "has no Job and is not removed: its volume may hold results; --force removes it") {
		t.Errorf("a volume: %d, %s", n, said)
	}
	set(claim, "Pending", "status", "phase")
	set(claim, time.Now().UTC().Format(time.RFC3339), "metadata", "creationTimestamp")
	if n, said := clean(false); n != 0 || !strings.Contains(said, "it may be starting") {
		t.Errorf("a start: %d, %s", n, said)
	}
	set(claim, "2026-11-23T10:00:00Z", "metadata", "creationTimestamp")
	g.deny("list", "", "configmaps")
	if n, said := clean(false); n != 1 || said != "" || len(g.ofRun(name)) > 0 {
		t.Errorf("leftovers: %d, %s, %v", n, said, g.ofRun(name))
	}
	// One kind that may not be listed does not keep the others.
	g.deny("list", "", "services")
	second, err := r.Start(t.Context(), inCluster(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cluster.remove(t.Context(), jobs, second); err != nil {
		t.Fatal(err)
	}
	if n, err := r.cluster.clean(t.Context(), false, timeOfArm, &bytes.Buffer{}); n != 1 || err == nil || !strings.Contains(err.Error(), "list services") {
		t.Errorf("%d, %v", n, err)
	}
}
