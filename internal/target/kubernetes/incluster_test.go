package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

func inCluster() InCluster {
	return InCluster{Name: "tare-run-first", Image: "registry.example.com/tare:1", Experiment: []byte("kind: Experiment\n"), Size: "10Gi"}
}

// TestInClusterRights: the account of a run has the permissions of the page that people
// apply, and no others.
func TestInClusterRights(t *testing.T) {
	text, err := os.ReadFile("../../../docs/kubernetes-rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]rbacv1.PolicyRule{}
	for _, doc := range strings.Split(string(text), "\n---\n") {
		var role rbacv1.Role // a ClusterRole has the same fields
		if err := yaml.Unmarshal([]byte(doc), &role); err != nil {
			t.Fatal(err)
		}
		if capability := role.Labels["tarebench.io/capability"]; capability == "run" || capability == "nodes" {
			want[role.Kind] = role.Rules
		}
	}
	if diff := cmp.Diff(want["Role"], inCluster().namespaceRules()); diff != "" {
		t.Error("in the namespace:", diff)
	}
	if diff := cmp.Diff(want["ClusterRole"], nodeRules()); diff != "" {
		t.Error("in the cluster:", diff)
	}
}

// TestInClusterOperator: the account of a run with an operator's database may make its resource, and whoever starts the run
// has to have that permission, or the API server would refuse the Role.
func TestInClusterOperator(t *testing.T) {
	run := inCluster()
	var err error
	if run.Arms, err = ArmGrants(func(into any) error { *into.(*Settings) = Settings{Operator: "innodbcluster"}; return nil }); err != nil {
		t.Fatal(err)
	}
	want := rbacv1.PolicyRule{APIGroups: []string{"mysql.oracle.com"}, Resources: []string{"innodbclusters"}, Verbs: []string{"create", "delete", "get", "list", "patch"}}
	if !slices.ContainsFunc(run.namespaceRules(), func(p rbacv1.PolicyRule) bool { return cmp.Equal(p, want) }) {
		t.Errorf("the Role of the run's account has no %v", want)
	}
	if create := (right{"create", "mysql.oracle.com", "innodbclusters", ""}); !slices.Contains(run.rights(), create) {
		t.Error("the start of the run does not ask for the permissions of its account")
	}
	if run.Account = "tare"; slices.Contains(run.rights(), right{"create", "mysql.oracle.com", "innodbclusters", ""}) {
		t.Error("with an account that exists, whoever starts the run needs no permission on the operator's kind")
	}
}

// TestInClusterWorkload: the pod finds the workload file beside the experiment.
func TestInClusterWorkload(t *testing.T) {
	run := inCluster()
	run.Workload, run.WorkloadName = []byte("kind: Workload\n"), "shop.yaml"
	want := map[string]string{"experiment.yaml": "kind: Experiment\n", "shop.yaml": "kind: Workload\n"}
	if diff := cmp.Diff(want, run.files()); diff != "" {
		t.Error(diff)
	}
	for name, valid := range map[string]bool{"shop.yaml": true, "experiment.yaml": false, "my shop.yaml": false, "..yaml": false, "../shop.yaml": false} {
		if ValidBeside(name) != valid {
			t.Errorf("ValidBeside(%q) = %v", name, !valid)
		}
	}
}

func TestInClusterObjects(t *testing.T) {
	run := inCluster()
	all, err := run.objects("bench")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range all {
		kinds = append(kinds, o.kind.Resource)
	}
	if diff := cmp.Diff([]string{"configmaps", "persistentvolumeclaims", "serviceaccounts", "roles", "rolebindings", "clusterroles", "clusterrolebindings", "jobs"}, kinds); diff != "" {
		t.Error(diff)
	}
	job := all[len(all)-1].object.(*batchv1.Job)
	pod := job.Spec.Template.Spec
	if diff := cmp.Diff([]string{"inside", "/spec/experiment.yaml", "/runs/tare-run-first"}, pod.Containers[0].Args); diff != "" {
		t.Error(diff)
	}
	if pod.ServiceAccountName != run.Name || pod.RestartPolicy != corev1.RestartPolicyNever || !pod.Containers[0].Resources.Limits.Cpu().IsZero() {
		t.Errorf("pod: %+v", pod)
	}
	if job.Labels[managedLabel] != "" {
		t.Error("tare clean would take the run for one that a tare left behind")
	}
	run.Account = "bench"
	if all, err = run.objects("bench"); err != nil || len(all) != 3 {
		t.Errorf("with an account that is there: %d objects, %v", len(all), err)
	}
	run.Size = "much"
	if _, err := run.objects("bench"); err == nil || !strings.Contains(err.Error(), `"much" is not an amount`) {
		t.Error(err)
	}
}

// TestInClusterStreams: without an image of tare, the pod waits in an image with a shell for a program that is in the run's
// volume, on nodes of its architecture; the pod that hands the run out takes it from there.
func TestInClusterStreams(t *testing.T) {
	run := inCluster()
	run.Image, run.Arch, run.Node = "mysql:8.4", "arm64", "n1"
	job := run.job()
	c := job.Spec.Template.Spec.Containers[0]
	if diff := cmp.Diff(waitingIn("/runs/program"), c.Command); diff != "" {
		t.Error(diff)
	}
	if c.Image != "mysql:8.4" || c.Args[0] != "inside" || !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/runs" }) {
		t.Errorf("%s %q %v", c.Image, c.Args, c.VolumeMounts)
	}
	want := map[string]string{"kubernetes.io/arch": "arm64", "kubernetes.io/hostname": "n1"}
	if diff := cmp.Diff(want, job.Spec.Template.Spec.NodeSelector); diff != "" {
		t.Error(diff)
	}
	if problems := unrestricted(job.Spec.Template.Spec); len(problems) > 0 {
		t.Error(problems)
	}
	home := remoteRun(job)
	if !home.Streamed() || home.image != "mysql:8.4" || home.arch != "arm64" {
		t.Errorf("%+v", home)
	}
	handed := InCluster{Name: home.Name, Image: home.image, Arch: home.arch}.fetchPod().Spec
	if c := handed.Containers[0]; !slices.Equal(c.Command, []string{"/runs/program/tare"}) || c.Args[0] != "pack" || handed.NodeSelector["kubernetes.io/arch"] != "arm64" {
		t.Errorf("%q %q on %v", c.Command, c.Args, handed.NodeSelector)
	}
	if with := remoteRun(inCluster().job()); with.Streamed() {
		t.Errorf("with tare's image: %+v", with)
	}
}

// apiServer answers as an API server does to the few requests that a run needs.
type apiServer struct {
	mu      sync.Mutex
	objects map[string]map[string]any // by path
	refuse  string                    // kind that may not be made
	logs    []string                  // what each request for a log gets, the last one for all later ones
	cut     int                       // how many of them break off
	asked   int
}

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	path := strings.TrimSuffix(r.URL.Path, "/")
	refused := func(code int, reason string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"message":%q,"code":%d}`, reason, reason, code)
	}
	answer := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the client's to notice
	}
	switch {
	case strings.HasSuffix(path, "/log"):
		text := a.logs[min(a.asked, len(a.logs)-1)]
		a.asked++
		fmt.Fprint(w, text)
		if a.asked <= a.cut {
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		a.finish()
	case r.Method == http.MethodPatch && a.refuse != "" && strings.Contains(path, "/"+a.refuse+"/"):
		refused(http.StatusForbidden, "Forbidden")
	case r.Method == http.MethodPatch && strings.HasPrefix(r.Header.Get("Content-Type"), "application/merge-patch"):
		nested(a.objects[path], "spec")["suspend"] = true
		answer(a.objects[path])
	case r.Method == http.MethodPost:
		var object map[string]any
		_ = yamlOrJSON(r, &object) // of the client library's making
		path += "/" + fmt.Sprint(nested(object, "metadata")["name"])
		if a.objects[path] != nil {
			refused(http.StatusConflict, "AlreadyExists")
			return
		}
		a.objects[path] = object
		answer(object)
	case r.Method == http.MethodPatch:
		var object map[string]any
		if err := yamlOrJSON(r, &object); err != nil {
			refused(http.StatusBadRequest, err.Error())
			return
		}
		a.objects[path] = object
		answer(object)
	case r.Method == http.MethodDelete:
		delete(a.objects, path)
		answer(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	case a.objects[path] != nil:
		answer(a.objects[path])
	case r.URL.Query().Has("labelSelector") || r.URL.Query().Has("fieldSelector"):
		items := []any{}
		for at, o := range a.objects {
			if at[:strings.LastIndexByte(at, '/')] == path {
				items = append(items, o)
			}
		}
		answer(map[string]any{"kind": "List", "apiVersion": "v1", "items": items})
	default:
		refused(http.StatusNotFound, "NotFound")
	}
}

func yamlOrJSON(r *http.Request, into any) error {
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		return err
	}
	return yaml.Unmarshal(b.Bytes(), into)
}

// finish ends the Job, as its controller does after its pod.
func (a *apiServer) finish() {
	for _, o := range a.objects {
		if o["kind"] == "Job" {
			o["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
		}
	}
}

func (a *apiServer) names() (all []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for path := range a.objects {
		parts := strings.Split(path, "/")
		all = append(all, strings.Join(parts[len(parts)-2:], "/"))
	}
	slices.Sort(all)
	return all
}

func remote(t *testing.T, a *apiServer) *Remote {
	t.Helper()
	return remoteAt(t, a, a)
}

// remoteAt is a cluster whose requests are answered by a handler, which asks the API server.
func remoteAt(t *testing.T, a *apiServer, answers http.Handler) *Remote {
	t.Helper()
	a.objects = map[string]map[string]any{}
	server := httptest.NewServer(answers)
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL, QPS: 1000, Burst: 1000}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &Remote{cluster: &cluster{holds: &holdings{}, config: config, dynamic: client, namespace: "bench"}}
}

// TestStartInCluster: what is refused leaves nothing behind, and a cluster that shows
// nobody its nodes is not an obstacle.
func TestStartInCluster(t *testing.T) {
	for refused, want := range map[string]int{"": 8, "clusterroles": 6, "jobs": 0} {
		t.Run("without "+refused, func(t *testing.T) {
			a := &apiServer{refuse: refused}
			r := remote(t, a)
			var note bytes.Buffer
			_, err := r.Start(t.Context(), inCluster(), &note)
			if got := a.names(); len(got) != want || (err == nil) != (want > 0) {
				t.Errorf("%d objects, want %d: %v; %v", len(got), want, got, err)
			}
			if n := strings.Count(note.String(), "cannot read nodes"); n > 1 || (n == 1) != (refused == "clusterroles") {
				t.Error(note.String())
			}
			if err == nil {
				if err := r.Remove(t.Context(), "tare-run-first", nil, &note); err != nil || len(a.names()) > 0 {
					t.Errorf("left after the removal: %v, %v", a.names(), err)
				}
			}
		})
	}
}

// TestFollowSurvivesTheConnection: the log breaks off twice; every line is passed on
// once, and the end of the run is the end.
func TestFollowSurvivesTheConnection(t *testing.T) {
	a := &apiServer{logs: []string{"one\n", "one\ntwo\nthr", "one\ntwo\nthree\n"}, cut: 2}
	r := remote(t, a)
	if _, err := r.Start(t.Context(), inCluster(), &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	a.objects["/api/v1/namespaces/bench/pods/tare-run-first-x"] = map[string]any{"kind": "Pod", "apiVersion": "v1",
		"metadata": map[string]any{"name": "tare-run-first-x"}, "status": map[string]any{"phase": "Running"}}
	var out, note bytes.Buffer
	run, err := r.Follow(t.Context(), "tare-run-first", &out, &note)
	if err != nil || run.State != "finished" {
		t.Fatal(run, err, note.String())
	}
	if out.String() != "one\ntwo\nthree\n" {
		t.Errorf("passed on: %q", out.String())
	}
	if !strings.Contains(note.String(), "the run continues in the cluster") {
		t.Errorf("the lost connection is not mentioned: %q", note.String())
	}
	runs, err := r.Runs(t.Context())
	if err != nil || len(runs) != 1 || runs[0].image != "registry.example.com/tare:1" {
		t.Error(runs, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	note.Reset()
	if _, err := r.Follow(ctx, "tare-run-first", &out, &note); err == nil || note.Len() > 0 {
		t.Errorf("after Ctrl-C: %v, said %q", err, note.String())
	}
	if _, err := r.Run(t.Context(), "tare-run-other"); err == nil || !strings.Contains(err.Error(), "no run tare-run-other in namespace bench") {
		t.Error(err)
	}
}

// TestWaiting: a run whose pod has not started, and one whose database has not, say what they wait for; a run that has ended and
// one whose pods run wait for nothing.
func TestWaiting(t *testing.T) {
	pod := func(name, phase string, labels map[string]any) map[string]any {
		return map[string]any{"kind": "Pod", "apiVersion": "v1", "metadata": map[string]any{"name": name, "labels": labels},
			"status": map[string]any{"phase": phase, "conditions": []any{map[string]any{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available: Insufficient cpu"}}}}
	}
	carrier, measured := map[string]any{"batch.kubernetes.io/job-name": "run-1"}, map[string]any{managedLabel: fieldManager}
	one, two := []RemoteRun{{Name: "run-1", State: "running"}}, []RemoteRun{{Name: "run-1", State: "running"}, {Name: "run-2", State: "running"}}
	for name, c := range map[string]struct {
		pod  map[string]any
		runs []RemoteRun
		want string
	}{
		"its own pod":        {pod("a", "Pending", carrier), two, "pod a is not scheduled: 0/3 nodes are available: Insufficient cpu"},
		"the database":       {pod("db", "Pending", measured), one, "pod db is not scheduled: 0/3 nodes are available: Insufficient cpu"},
		"of which of two":    {pod("db", "Pending", measured), two, ""},
		"it runs":            {pod("a", "Running", carrier), one, ""},
		"another's Pod":      {pod("x", "Pending", map[string]any{"batch.kubernetes.io/job-name": "other"}), two, ""},
		"a run that is over": {pod("a", "Pending", carrier), []RemoteRun{{Name: "run-1", State: "finished"}}, ""},
	} {
		a := &apiServer{}
		r := remote(t, a)
		a.objects = map[string]map[string]any{"/api/v1/namespaces/bench/pods/" + name[:1]: c.pod}
		if got := r.Waiting(t.Context(), c.runs)["run-1"]; !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestInClusterAway: a run whose load comes from other pods requests little, and avoids the node of what it measures where
// another has room. By itself it requests a whole CPU, for the load.
func TestInClusterAway(t *testing.T) {
	r := inCluster()
	if got := r.job().Spec.Template.Spec; got.Affinity != nil || got.Containers[0].Resources.Requests.Cpu().MilliValue() != 1000 {
		t.Errorf("by itself: %+v, %v", got.Affinity, got.Containers[0].Resources)
	}
	r.Away, r.CPU = "n3", 70
	got := r.job().Spec.Template.Spec
	if got.Containers[0].Resources.Requests.Cpu().MilliValue() != 70 {
		t.Errorf("requests %v", got.Containers[0].Resources)
	}
	prefers := got.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	if want := (corev1.NodeSelectorRequirement{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"n3"}}); len(prefers) != 1 || cmp.Diff(prefers[0].Preference.MatchExpressions, []corev1.NodeSelectorRequirement{want}) != "" {
		t.Errorf("prefers %+v", prefers)
	}
}
