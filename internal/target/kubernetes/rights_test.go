package kubernetes

// Least privilege: what tare asks an API server for is what docs/kubernetes-rbac.yaml grants.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// ownManifests has every kind of the capability manifests of docs/kubernetes-rbac.yaml.
const ownManifests = `apiVersion: v1
kind: ConfigMap
metadata: {name: db}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: db}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db-login}, stringData: {MYSQL_USER: root, MYSQL_PASSWORD: x}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: db}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: db}, spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: db}, spec: {podSelector: {matchLabels: {app: db}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {selector: {app: db}, ports: [{port: 3306}]}}
---
apiVersion: apps/v1
kind: %s
metadata: {name: db}
spec:
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: server, image: m, ports: [{containerPort: 3306}]}]}
`

// flow is a use of a cluster, from the check to the release, and what it said.
type flow struct {
	name     string
	settings func(t *testing.T) Settings
	noPods   bool
	inside   bool // a run inside the cluster is started and removed; there is no arm
	first    bool // what tare demo looks at, and the pod that finds a node; there is no arm
}

func flows() []flow {
	fixed := func(s Settings) func(*testing.T) Settings { return func(*testing.T) Settings { return s } }
	manifests := func(kind string) func(*testing.T) Settings {
		return func(t *testing.T) Settings {
			file := filepath.Join(t.TempDir(), "db.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, ownManifests, kind), 0o600); err != nil {
				t.Fatal(err)
			}
			return Settings{Manifests: []string{file}, Server: Login{Secret: "db-login"}}
		}
	}
	return []flow{
		{name: "load pods", settings: fixed(Settings{Image: "m", QoS: node.Guaranteed, CPU: node.MaxCPU, Memory: 1 << 30, Node: "n1", StorageClass: "gp3", Clients: 2, ClientImage: "tare:1", Address: serviceAddress})},
		{name: "beside the server", settings: fixed(Settings{Image: "m", Client: samePodClient, ClientImage: "tare:1", Neighbour: &node.Neighbour{CPU: 100}, ProbeNamespace: "tare-probe"})},
		{name: "the program is streamed", settings: func(t *testing.T) Settings {
			return Settings{Image: "m", Clients: 2, Neighbour: &node.Neighbour{CPU: 100}, ProbeNamespace: "tare-probe", Programs: []string{header(t, runtime.GOARCH)}}
		}},
		{name: "its pod is deleted", settings: fixed(Settings{Image: "m", Events: []event.Event{{At: experiment.Duration(time.Second), Delete: event.ThePod}}})},
		{name: "no pod", settings: fixed(Settings{Image: "m"}), noPods: true},
		{name: "manifests with a StatefulSet", settings: manifests("StatefulSet")},
		{name: "manifests with a Deployment", settings: manifests("Deployment")},
		{name: "a run inside the cluster", inside: true},
		{name: "a first experiment", first: true},
	}
}

// use goes through a flow and returns every error, fact and line of log.
func (f flow) use(t *testing.T, g *guarded) string {
	t.Helper()
	if f.inside {
		return useInside(t, g)
	}
	if f.first {
		return useFirst(t, g)
	}
	g.noPods = f.noPods
	s := f.settings(t)
	s.Kubeconfig, s.Namespace = guardedCluster(t, g), "tare"
	made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	say := func(err error) {
		if err != nil {
			fmt.Fprintln(&said, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	within := 5 * time.Minute // none takes this long
	if f.noPods {
		within = 3 * time.Second // it is waited for to its end
	}
	say(errors.Join(made.Check(ctx)...))
	fmt.Fprintln(&said, strings.Join(made.(*Kubernetes).admissionNotes, "\n"))
	server, err := made.(*Kubernetes).start(ctx, target.Request{Name: "trial-1", ReadyWithin: within, Log: &said})
	say(err)
	if err == nil {
		if s.disturbed() {
			say(server.watch(ctx, podState{version: "1"}, func(podState) bool { return true }))
		}
		say(server.Alive())
		for _, fact := range server.Facts(ctx, "start") {
			fmt.Fprintln(&said, fact.Key, fact.Unknown)
		}
		if server.Generators() > 0 {
			say(server.Generate(ctx, []byte("{}"), func(int, []byte) error { return nil }))
		}
		if s.ProbeNamespace != "" {
			_, err := server.Probe(ctx, "/data")
			say(err)
		}
		say(server.Stop(ctx))
	}
	say(made.Capabilities().Release(ctx))
	_, err = Clean(ctx, Where{Kubeconfig: s.Kubeconfig, Namespace: "tare"}, true, &said, func(string) {})
	say(err)
	return said.String()
}

// useFirst looks at the namespace and finds a node, and returns every error and note.
func useFirst(t *testing.T, g *guarded) string {
	t.Helper()
	at := Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"}
	s, err := Look(t.Context(), at, "")
	said := fmt.Sprintln(strings.Join(s.Notes, "\n"), err)
	_, err = Place(t.Context(), at, "m", node.Resources{CPU: 100, Memory: 1 << 20}, func(string) {})
	return said + fmt.Sprintln(err)
}

// useInside starts a run inside the cluster and removes it, and returns every error and line of log.
func useInside(t *testing.T, g *guarded) string {
	t.Helper()
	r, err := ConnectRemote(Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	name, err := r.Start(t.Context(), inCluster(), &said)
	if err == nil {
		err = r.Remove(t.Context(), name, nil, &said)
	}
	fmt.Fprintln(&said, err)
	return said.String()
}

// TestGrantsSuffice: an arm asks for nothing in a namespace that its Role of `render --rbac` does not
// grant, and for nothing in the whole cluster that it neither grants nor names as optional.
func TestGrantsSuffice(t *testing.T) {
	for _, f := range flows() {
		if f.inside || f.first { // TestInClusterRightsSuffice; the rights of a first experiment are those of all of them
			continue
		}
		s := f.settings(t)
		s.Namespace, s.Kubeconfig = "tare", filepath.Join(t.TempDir(), "absent")
		made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
		if err != nil {
			t.Fatal(err)
		}
		grants, err := made.(*Kubernetes).Grants()
		if err != nil {
			t.Fatal(err)
		}
		var granted []scopedRight
		for _, g := range grants {
			for _, r := range g.rights {
				granted = append(granted, scopedRight{g.at.Namespace, r})
			}
			for _, r := range g.cluster {
				granted = append(granted, scopedRight{"", r})
			}
			for _, p := range g.optional {
				for _, r := range p.rights() {
					granted = append(granted, scopedRight{"", r})
				}
			}
		}
		g := &guarded{}
		f.use(t, g)
		for asked := range g.asked {
			if !slices.ContainsFunc(granted, func(r scopedRight) bool { return r.covers(asked) }) {
				t.Errorf("%s: %v is asked for and not in the Role", f.name, asked)
			}
		}
	}
}

// TestRightsAreUsed: tare asks for nothing that docs/kubernetes-rbac.yaml does not grant, and
// uses all that it does. Without any one of them a step fails and says so.
func TestRightsAreUsed(t *testing.T) {
	names := map[scopedRight][]string{}
	granted := grantedBy(t, "kubernetes-rbac.yaml", names)
	usedBy := map[scopedRight]flow{}
	for _, f := range flows() {
		g := &guarded{}
		said := f.use(t, g)
		if strings.Contains(said, "denied") {
			t.Errorf("%s, with all rights:\n%s", f.name, said)
		}
		for asked, of := range g.asked {
			i := slices.IndexFunc(granted, func(r scopedRight) bool { return r.covers(asked) })
			if i < 0 && f.inside && asked.namespace == "" { // a run is started without what these would permit (TestStartInCluster)
				continue
			}
			if i < 0 {
				t.Errorf("%s: %v is asked for and not granted", f.name, asked)
				continue
			}
			r := granted[i]
			if _, known := usedBy[r]; !known {
				usedBy[r] = f
			}
			for _, name := range of {
				if names[r] != nil && !slices.Contains(names[r], name) {
					t.Errorf("%s: %v is asked for %s, which is not granted", f.name, asked, name)
				}
			}
		}
	}
	for _, r := range granted {
		f, used := usedBy[r]
		if !used {
			t.Errorf("%v is granted and never asked for", r)
			continue
		}
		if f.inside && r.verb == "list" && r.group == rbacGroup { // without it they are deleted by name (TestRemoveRefused)
			continue
		}
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			said := f.use(t, &guarded{denied: r})
			if !strings.Contains(said, r.verb+" is denied") && !strings.Contains(said, "these credentials may not "+r.right.String()) {
				t.Errorf("without it, %s said nothing of it:\n%s", f.name, said)
			}
		})
	}
}
