package kubernetes

// Traces of operators (testdata/traces): what the status of a resource and its pods says at which second. The order of
// the states is that of runs of these operators; seconds and messages are written for the tests, not recorded. They are
// replayed by a stand-in of the API server in a time of their own, so that half an hour of waiting takes no time.

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/target"
)

// trace is one run of an operator, and how the wait for it must end.
type trace struct {
	Operator string       `json:"operator"`
	Variant  string       `json:"variant"`
	Steps    []traceStep  `json:"steps"`
	Log      string       `json:"log"` // what the pods' containers said before their last end
	Within   [2]traceTime `json:"within"`
	// Error is a part of the run's error; "" where the database becomes ready.
	Error string `json:"error"`
	// Told are parts of what is told while the database is waited for, all of them before ToldWithin.
	Told       []string  `json:"told"`
	ToldWithin traceTime `json:"toldWithin"`
}

// traceStep is what changes at a time since the resource was made.
type traceStep struct {
	At     traceTime      `json:"at"`
	Status map[string]any `json:"status"`
	Pods   []tracePod     `json:"pods"`
}

type tracePod struct {
	Name       string            `json:"name"`
	Labels     map[string]string `json:"labels"`
	Containers []traceContainer  `json:"containers"`
}

type traceContainer struct {
	Name     string `json:"name"`
	Restarts int32  `json:"restarts"`
	Running  bool   `json:"running"`
	Waiting  string `json:"waiting"`
	ExitCode int32  `json:"exitCode"` // of its last end, which it has with a reason
	Reason   string `json:"reason"`
}

type traceTime time.Duration

func (d *traceTime) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = traceTime(v)
	return err
}

func (p tracePod) object() *corev1.Pod {
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: named(p.Name, p.Labels)}
	for _, c := range p.Containers {
		s := corev1.ContainerStatus{Name: c.Name, RestartCount: c.Restarts}
		if c.Running {
			s.State.Running = &corev1.ContainerStateRunning{}
		}
		if c.Waiting != "" {
			s.State.Waiting = &corev1.ContainerStateWaiting{Reason: c.Waiting}
		}
		if c.Reason != "" {
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: c.ExitCode, Reason: c.Reason}
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, s)
	}
	return pod
}

// lastLog answers every request with a log.
type lastLog struct {
	t    *testing.T
	text string
}

func (l lastLog) RoundTrip(r *http.Request) (*http.Response, error) {
	if q := r.URL.Query(); !strings.HasSuffix(r.URL.Path, "/log") || q.Get("previous") != "true" {
		l.t.Errorf("asked for %s", r.URL)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(l.text)), Request: r}, nil
}

// replayed is an arm of the trace's operator with its resource, and what takes in a step.
func (tr trace) replayed(t *testing.T) (*Kubernetes, func(traceStep)) {
	t.Helper()
	settings := Settings{Operator: tr.Operator, Variant: tr.Variant}.defaulted()
	d, o, err := settings.ordered(nil)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := d.Resource("tare-1", o)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: fields}
	u.SetNamespace("tare")
	kind := schema.GroupVersionResource{Group: d.Group, Version: d.Version, Resource: strings.ToLower(d.Kind) + "s"}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(scheme, map[schema.GroupVersionResource]string{kind: d.Kind + "List"})
	k := &Kubernetes{settings: settings, id: "tare-1", owner: "{}", kinds: []schema.GroupVersionResource{kind},
		cluster: &cluster{holds: &holdings{}, dynamic: client, namespace: "tare", config: &rest.Config{Host: "http://cluster", Transport: lastLog{t, tr.Log}}}}
	if _, err := k.cluster.scoped(kind).Create(t.Context(), u, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return k, func(s traceStep) {
		if s.Status != nil {
			u.Object["status"] = s.Status
			if _, err := k.cluster.scoped(kind).Update(t.Context(), u, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
		}
		for _, p := range s.Pods {
			_ = client.Tracker().Delete(pods, "tare", p.Name) // there is none before its first step
			if err := client.Tracker().Add(p.object()); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestTraces: a status that changes as those of operators do ends as it should: a passing error ends
// nothing, a lasting one does, a cluster is ready with all of its members, and a member that ends
// again and again is named with its reason.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/traces/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d traces, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var tr trace
			if err := yaml.UnmarshalStrict(text, &tr); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { replay(t, tr) })
		})
	}
}

func replay(t *testing.T, tr trace) {
	k, take := tr.replayed(t)
	begun := time.Now()
	var told []string
	s := &server{target: k, request: target.Request{Waiting: func(what string) {
		if limit := time.Duration(tr.ToldWithin); limit == 0 || time.Since(begun) <= limit {
			told = append(told, what)
		}
	}}}
	ended := make(chan error)
	for _, step := range tr.Steps {
		time.AfterFunc(time.Duration(step.At), func() { take(step) })
	}
	go func() { ended <- s.operatorReady(t.Context()) }()
	err := <-ended
	if took := time.Since(begun); took < time.Duration(tr.Within[0]) || took > time.Duration(tr.Within[1]) {
		t.Errorf("the wait took %v", took)
	}
	if tr.Error == "" && err != nil || tr.Error != "" && (err == nil || !strings.Contains(err.Error(), tr.Error)) {
		t.Errorf("the wait ended with %v, want %q", err, tr.Error)
	}
	for _, want := range tr.Told {
		if all := strings.Join(told, "\n"); !strings.Contains(all, want) {
			t.Errorf("told:\n%s\nwant %q", all, want)
		}
	}
}
