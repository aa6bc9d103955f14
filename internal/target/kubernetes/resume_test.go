package kubernetes

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// armOf is an arm of a guarded cluster that has a neighbour and a probe pod.
func armOf(t *testing.T, kubeconfig string) *Kubernetes {
	t.Helper()
	made, err := New(func(into any) error {
		*into.(*Settings) = Settings{Image: "m", ClientImage: "tare:1", Neighbour: &node.Neighbour{CPU: 100}, ProbeNamespace: "tare-probe", Kubeconfig: kubeconfig, Namespace: "tare"}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.(*Kubernetes)
}

// leave starts an arm's server with all that is beside it, as a tare does that is killed then.
func leave(t *testing.T, k *Kubernetes) {
	t.Helper()
	started, err := k.Start(t.Context(), target.Request{Name: "trial-1", ReadyWithin: time.Minute, Log: &bytes.Buffer{}})
	if err != nil {
		t.Fatal(err)
	}
	s := started.(*server)
	if _, err := s.Probe(t.Context(), "/data"); err != nil {
		t.Fatal(err)
	}
	s.forward.close()
	s.probes.close()
}

// of are the paths of the objects of an arm.
func (g *guarded) of(id string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.paths(id)
}

// paths is of while mu is held.
func (g *guarded) paths(id string) (paths []string) {
	for path, object := range g.objects {
		if nested(object, "metadata", "labels")[armLabel] == id {
			paths = append(paths, path)
		}
	}
	return paths
}

// TestResumeRemovesEarlierArms: a resumed run removes the arms of the process before it, their
// neighbours and probe pods too, and no others.
func TestResumeRemovesEarlierArms(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	run := t.TempDir()
	killed, others, next := armOf(t, kubeconfig), armOf(t, kubeconfig), armOf(t, kubeconfig)
	if err := killed.Capabilities().Note(run); err != nil {
		t.Fatal(err)
	}
	leave(t, killed)
	leave(t, others)
	before := len(g.of(others.id))
	if n := len(g.of(killed.id)); n < 5 {
		t.Fatalf("the killed run left %d objects", n)
	}
	var said bytes.Buffer
	if err := next.Capabilities().Resume(t.Context(), run, &said); err != nil {
		t.Fatal(err)
	}
	if left := g.of(killed.id); len(left) > 0 || !strings.Contains(said.String(), "removing "+killed.id) {
		t.Errorf("left: %v; said: %s", left, said.String())
	}
	if n := len(g.of(others.id)); n != before {
		t.Errorf("%d of %d objects of another run are left", n, before)
	}
}

// TestResumeRemovesProbePods: a probe pod is found where nothing else of its arm is left.
func TestResumeRemovesProbePods(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	run := t.TempDir()
	killed := armOf(t, kubeconfig)
	if err := record.AddArm(run, killed.id); err != nil {
		t.Fatal(err)
	}
	leave(t, killed)
	if err := killed.cluster.removeAll(t.Context(), made, killed.selector()); err != nil || len(g.of(killed.id)) != 1 {
		t.Fatalf("%v are left, %v", g.of(killed.id), err)
	}
	if err := armOf(t, kubeconfig).resume(t.Context(), run, &bytes.Buffer{}); err != nil || len(g.of(killed.id)) > 0 {
		t.Errorf("left: %v, %v", g.of(killed.id), err)
	}
}

// TestResumeRemovesEarlierLoad: the load of all arms is removed, and what says how an arm is
// removed stays.
func TestResumeRemovesEarlierLoad(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	run, id := t.TempDir(), "tare-00000001"
	if err := record.AddArm(run, id); err != nil {
		t.Fatal(err)
	}
	for name, labels := range map[string]map[string]any{
		"load": {armLabel: id, roleLabel: loadRole}, "kinds": {armLabel: id},
	} {
		path := "/api/v1/namespaces/tare/secrets/" + name
		g.objects[path] = map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "labels": labels}}
	}
	l, err := loadOf(FromSettings{Kubeconfig: kubeconfig, Namespace: "tare", Image: "tare:1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Resume(t.Context(), run, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if left := g.of(id); fmt.Sprint(left) != "[/api/v1/namespaces/tare/secrets/kinds]" {
		t.Errorf("left: %v", left)
	}
}

// TestRemoveRemovesArms: the removal of a run in the cluster removes the arms that its lost pods
// have left.
func TestRemoveRemovesArms(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	lost, others := armOf(t, kubeconfig), armOf(t, kubeconfig)
	leave(t, lost)
	leave(t, others)
	r, err := ConnectRemote(Where{Kubeconfig: kubeconfig, Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Remove(t.Context(), "tare-run-first", []string{lost.id}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if left, kept := g.of(lost.id), g.of(others.id); len(left) > 0 || len(kept) == 0 {
		t.Errorf("left: %v; of another run: %v", left, kept)
	}
}

// has tells whether there is an object at a path.
func (g *guarded) has(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.objects[path] != nil
}

// jobOfRun puts the Job of a run into the cluster.
func (g *guarded) jobOfRun(name string) (path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path = "/apis/batch/v1/namespaces/tare/jobs/" + name
	g.objects[path] = map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": name, "labels": map[string]any{runLabel: name}}}
	return path
}

// TestRemoveWithoutPermission: credentials that may not look for arms remove the run, and say so.
func TestRemoveWithoutPermission(t *testing.T) {
	g := &guarded{denied: scopedRight{"tare", right{"list", "", "secrets", ""}}}
	r, err := ConnectRemote(Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	job := g.jobOfRun("tare-run-first")
	var said bytes.Buffer
	err = r.Remove(t.Context(), "tare-run-first", []string{"tare-00000001"}, &said)
	if err != nil || !strings.Contains(said.String(), "cannot look for arms") || !strings.Contains(said.String(), "tare clean --namespace tare --force") {
		t.Errorf("%v; said: %s", err, said.String())
	}
	if g.has(job) {
		t.Error("the Job is still there")
	}
}

// TestRemoveAgain: a run of which an arm cannot be removed keeps its Job, so that it can be removed
// again by its name.
func TestRemoveAgain(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	lost := armOf(t, kubeconfig)
	leave(t, lost)
	r, err := ConnectRemote(Where{Kubeconfig: kubeconfig, Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	job := g.jobOfRun("tare-run-first")
	g.mu.Lock()
	g.kept = "/services/" + lost.id
	g.see = func(a asks) {
		if a.verb == "list" && a.resource == "services" && g.deleted(g.kept) {
			end()
		}
	}
	g.mu.Unlock()
	if err := r.Remove(ctx, "tare-run-first", []string{lost.id}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "services "+lost.id) {
		t.Errorf("%v, want the Service that is kept", err)
	}
	if !g.has(job) {
		t.Error("the Job is gone, and the arm is not")
	}
	g.mu.Lock()
	g.kept, g.see = "", nil
	delete(nested(g.objects["/api/v1/namespaces/tare/services/"+lost.id], "metadata"), "deletionTimestamp")
	g.mu.Unlock()
	if err := r.Remove(t.Context(), "tare-run-first", []string{lost.id}, &bytes.Buffer{}); err != nil || g.has(job) || len(g.of(lost.id)) > 0 {
		t.Errorf("again: %v; left: %v", err, g.of(lost.id))
	}
}

// TestNeighbourDeadline: the cluster ends a neighbour a minute after the longest time that its
// trial takes.
func TestNeighbourDeadline(t *testing.T) {
	for lasts, want := range map[time.Duration]int64{10 * time.Minute: 660, 48 * time.Hour: 48*3600 + 60, 0: 24 * 3600} {
		s := &server{target: offline(Settings{Image: "m", ClientImage: "tare:1", Neighbour: &node.Neighbour{CPU: 100}}), request: target.Request{Name: "t1", Lasts: lasts}, pod: &corev1.Pod{}}
		pod, err := s.neighbourPod(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := *pod.Spec.ActiveDeadlineSeconds; got != want {
			t.Errorf("a trial of %s: %d s, want %d", lasts, got, want)
		}
	}
}
