package main

// This file tests which experiments with pods of a cluster are run by slices.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// freeCluster is an API server that permits everything and has nodes that nothing runs on.
type freeCluster struct {
	nodes  int
	hidden bool // the nodes may not be listed
	denied bool // nothing is allowed
	quota  map[string]string
}

func (f freeCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v) // the client's to notice
	}
	list := func(items []any) {
		answer(http.StatusOK, map[string]any{"kind": "List", "apiVersion": "v1", "items": items})
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		answer(http.StatusCreated, map[string]any{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": map[string]any{"allowed": !f.denied}})
	case strings.HasSuffix(r.URL.Path, "/nodes") && f.hidden:
		answer(http.StatusForbidden, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": http.StatusForbidden})
	case strings.HasSuffix(r.URL.Path, "/nodes"):
		var items []any
		for n := range f.nodes {
			items = append(items, map[string]any{"kind": "Node", "apiVersion": "v1", "metadata": map[string]any{"name": fmt.Sprint("n", n+1)},
				"status": map[string]any{"allocatable": map[string]any{"cpu": "2", "memory": "4Gi", "pods": "110"}}})
		}
		list(items)
	case strings.HasSuffix(r.URL.Path, "/resourcequotas") && f.quota != nil:
		list([]any{map[string]any{"kind": "ResourceQuota", "apiVersion": "v1", "metadata": map[string]any{"name": "q"}, "status": map[string]any{"hard": f.quota}}})
	default:
		list([]any{})
	}
}

const podsSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: pods}
load: {engine: tare, workload: %s}
protocol: {rounds: 6, warmup: 1s, measure: 2s, aa: true%s}
baseline: a
arms:
  a: {target: kubernetes, kubeconfig: '%[3]s', namespace: tare, %[4]s}
  b: {target: kubernetes, kubeconfig: '%[3]s', namespace: tare, %[5]s}
`

// TestPodsTakeTurns: what `tare check` says of two pods: their databases are up at once, the baseline's twice, and are
// idle between their turns, where nothing keeps them from it.
func TestPodsTakeTurns(t *testing.T) {
	const slices = "turns of 400ms; the first 200ms of each turn are not counted; between its turns a server runs without load (possible CPU quota needs that long to take effect)"
	for name, c := range map[string]struct {
		workload, protocol, a, b string
		cluster                  freeCluster
		code                     int
		want                     string
	}{
		"two pods":                                       {"oltp_read_write, threads: 1", "", "image: 'm:1'", "image: 'm:1'", freeCluster{nodes: 1}, exitDone, slices},
		"a quota for both":                               {"oltp_read_write, threads: 1", "", "image: 'm:1', cpu: 500m, memory: 1Gi", "image: 'm:1', cpu: 600m, memory: 1Gi", freeCluster{nodes: 1}, exitDone, "without load (CPU quota needs that long to take effect)"},
		"a quota for one pod":                            {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 900m, memory: 1Gi", "image: 'm:1'", freeCluster{nodes: 1}, exitDone, "turns of 400ms; the first 200ms of each turn are not counted; between its turns a server runs without load (CPU quota needs that long to take effect)"},
		"a quota of pods for one database":               {"oltp_read_only, threads: 2", "", "image: 'm:1', clientImage: 't:1', clients: 2", "image: 'm:1', clientImage: 't:1', clients: 2", freeCluster{nodes: 2, quota: map[string]string{"pods": "3"}}, exitDone, "for the whole of a trial (ResourceQuota q of namespace tare leaves pods: 3, and the servers, neighbours and load pods of a round need 9 at once)"},
		"a quota of pods for less":                       {"oltp_read_only, threads: 2", "", "image: 'm:1', clientImage: 't:1', clients: 2", "image: 'm:1', clientImage: 't:1', clients: 2", freeCluster{nodes: 2, quota: map[string]string{"pods": "2"}}, exitInvalid, "ResourceQuota q of namespace tare leaves pods: 2, and one database of the arm, with its neighbour and its load pods, needs 3"},
		"a quota of CPU":                                 {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 100m, memory: 1Gi", "image: 'm:1', cpu: 500m, memory: 1Gi", freeCluster{nodes: 2, quota: map[string]string{"requests.cpu": "600m"}}, exitDone, "leaves requests.cpu: 600m, and the servers, neighbours and load pods of a round need 700m at once)"},
		"a quota that is enough":                         {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 100m, memory: 1Gi", "image: 'm:1', cpu: 500m, memory: 1Gi", freeCluster{nodes: 2, quota: map[string]string{"requests.cpu": "700m", "pods": "3"}}, exitDone, "the servers take turns of 400ms"},
		"slices beyond a quota":                          {"oltp_read_only, threads: 1", ", kind: slices", "image: 'm:1'", "image: 'm:1'", freeCluster{nodes: 2, quota: map[string]string{"pods": "2"}}, exitInvalid, "protocol.kind: slices are not possible: ResourceQuota q of namespace tare leaves pods: 2"},
		"room for two of three":                          {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 900m, memory: 1Gi", "image: 'm:1', cpu: 500m, memory: 1Gi", freeCluster{nodes: 1}, exitDone, "for the whole of a trial (the nodes do not have enough allocatable CPU or memory for all 3 servers of a round at once: 2 fit, and then no node has the 500m CPU and 1024 MiB that the pod of arm b requests"},
		"room on two nodes":                              {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 900m, memory: 1Gi", "image: 'm:1', cpu: 500m, memory: 1Gi", freeCluster{nodes: 2}, exitDone, "the servers take turns of 400ms"},
		"room on no single node":                         {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 900m, memory: 1Gi", "image: 'm:1', cpu: 500m, memory: 1Gi", freeCluster{nodes: 2}, exitDone, "no node has room for all 3 servers of a round that name no node"},
		"no node is named, of hidden ones":               {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:1'", freeCluster{hidden: true}, exitDone, "all arms: no node is named, and nodes may not be listed"},
		"memory for two":                                 {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 100m, memory: 2Gi", "image: 'm:1', cpu: 100m, memory: 1Gi", freeCluster{nodes: 1}, exitDone, "for the whole of a trial (the nodes do not have enough allocatable CPU or memory for all 3 servers"},
		"nodes that are hidden":                          {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 900m, memory: 1Gi", "image: 'm:1', cpu: 900m, memory: 1Gi", freeCluster{hidden: true}, exitDone, "the servers take turns of 400ms"},
		"all CPUs of a node":                             {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: max, memory: 1Gi", "image: 'm:1'", freeCluster{nodes: 2}, exitDone, "for the whole of a trial (arm a, which is measured twice in each round, has cpu: max"},
		"the node's network":                             {"oltp_read_only, threads: 1", "", "image: 'm:1', hostNetwork: true", "image: 'm:1'", freeCluster{nodes: 2}, exitDone, "for the whole of a trial (the servers of arm a, which is measured twice in each round, are on their node's network"},
		"one on that network":                            {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:1', hostNetwork: true", freeCluster{nodes: 2}, exitDone, "the servers take turns of 400ms"},
		"a neighbour":                                    {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:1', clientImage: 't:1', neighbour: {cpu: 1}", freeCluster{nodes: 2}, exitDone, "the servers take turns of 400ms"},
		"a neighbour's longer time":                      {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:1', clientImage: 't:1', neighbour: {cpu: 1}", freeCluster{nodes: 2}, exitDone, "where servers do not keep their turns, as beside a neighbour or under a CPU limit: such a round is measured again by windows"},
		"a neighbour at levels":                          {"oltp_read_only, threads: [2, 4]", "", "image: 'm:1'", "image: 'm:1', clientImage: 't:1', neighbour: {cpu: 1}", freeCluster{nodes: 2}, exitDone, "for the whole of a trial (servers are not frozen between their turns, and the neighbour of arm b would have to follow"},
		"load from a pod":                                {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:1', clientImage: 't:1', client: socket", freeCluster{nodes: 2}, exitDone, "the servers take turns of 400ms"},
		"load from load pods":                            {"oltp_read_only, threads: 1", "", "image: 'm:1', clientImage: 't:1', clients: 1", "image: 'm:1', clientImage: 't:1', clients: 1", freeCluster{nodes: 2}, exitDone, "the servers take turns of 400ms"},
		"nothing is here":                                {"oltp_read_only, threads: 1", "", "image: 'm:1', clientImage: 't:1', clients: 1", "image: 'm:1', clientImage: 't:1', clients: 1", freeCluster{nodes: 2}, exitDone, "servers and load are in pods: what else runs here matters only if nodes of the cluster are on this machine"},
		"the load is here":                               {"oltp_read_only, threads: 1", "", "image: 'm:1', clientImage: 't:1', clients: 1", "image: 'm:1'", freeCluster{nodes: 2}, exitDone, "the servers are in pods: what else runs here delays the load generator, and the servers only if nodes of the cluster are on this machine, as with kind"},
		"a socket, and from here":                        {"oltp_read_only, threads: 1", "", "image: 'm:1', clientImage: 't:1', client: socket", "image: 'm:1'", freeCluster{nodes: 2}, exitDone, "and the servers only if nodes of the cluster are on this machine, as with kind"},
		"levels from load pods":                          {"oltp_read_only, threads: [2, 4]", "", "image: 'm:1', clientImage: 't:1', clients: 1", "image: 'm:1'", freeCluster{nodes: 2}, exitDone, "for the whole of a trial (the load comes from pods, and the levels of load.threads would share"},
		"room but for the load":                          {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 300m, memory: 1Gi, clients: 1, clientCPURequest: 500m", "image: 'm:1'", freeCluster{nodes: 1}, exitDone, "the servers take turns of 400ms"},
		"no room for the load":                           {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 300m, memory: 1Gi, clients: 1, clientCPURequest: 800m", "image: 'm:1'", freeCluster{nodes: 1}, exitDone, "for the whole of a trial (the nodes have enough allocatable CPU and memory for all 3 servers of a round at once, but then no node has the 800m CPU that a load pod of arm a requests"},
		"a neighbour's request":                          {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 500m, memory: 1Gi", "image: 'm:1', clientImage: 't:1', neighbour: {cpu: 1, request: 1500m}", freeCluster{nodes: 1}, exitDone, "for the whole of a trial (the nodes do not have enough allocatable CPU or memory for all 3 servers"},
		"hidden nodes are said":                          {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:1'", freeCluster{hidden: true}, exitDone, "free CPU and memory of the nodes not checked"},
		"other images, written":                          {"oltp_read_write, threads: 1", "", "image: 'm:1'", "image: 'm:2'", freeCluster{nodes: 2}, exitDone, "for the whole of a trial (the load writes, and arms a and b have different servers"},
		"other images, read":                             {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:2'", freeCluster{nodes: 2}, exitDone, "the servers take turns of 400ms"},
		"other flushing":                                 {"oltp_read_write, threads: 1", "", "image: 'm:1'", "image: 'm:1', config: {sync_binlog: 0}", freeCluster{nodes: 2}, exitDone, "for the whole of a trial (arm b has another sync_binlog"},
		"windows are asked for":                          {"oltp_read_only, threads: 1", ", kind: windows", "image: 'm:1'", "image: 'm:1'", freeCluster{nodes: 2}, exitDone, "for the whole of a trial (the experiment asks for windows"},
		"slices without room":                            {"oltp_read_only, threads: 1", ", kind: slices", "image: 'm:1', cpu: 2, memory: 1Gi", "image: 'm:1'", freeCluster{nodes: 1}, exitInvalid, "protocol.kind: slices are not possible: the nodes do not have enough allocatable CPU or memory"},
		"frozen pods":                                    {"oltp_read_only, threads: 1", ", freeze: true", "image: 'm:1'", "image: 'm:1'", freeCluster{nodes: 1}, exitInvalid, "protocol.freeze: the server of arm a is in a cluster, and tare cannot freeze it there"},
		"idle is asked for":                              {"oltp_read_only, threads: 1", ", kind: slices, freeze: false", "image: 'm:1'", "image: 'm:1'", freeCluster{nodes: 1}, exitDone, slices},
		"the first line has hidden nodes":                {"oltp_read_only, threads: 1", "", "image: 'm:1', node: n7", "image: 'm:1'", freeCluster{hidden: true}, exitDone, "x.yaml: ready to run, but the nodes were not checked: these credentials may not list them"},
		"the first line has hidden CPUs":                 {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: 500m, memory: 1Gi", "image: 'm:1'", freeCluster{hidden: true}, exitDone, "x.yaml: ready to run, but the nodes were not checked"},
		"cpu: max of hidden nodes":                       {"oltp_read_only, threads: 1", "", "image: 'm:1', cpu: max, memory: 1Gi", "image: 'm:1'", freeCluster{hidden: true}, exitInvalid, "without it write an amount instead of max"},
		"no right, or no namespace":                      {"oltp_read_only, threads: 1", "", "image: 'm:1'", "image: 'm:1', clientImage: 't:1', clients: 1", freeCluster{denied: true}, exitInvalid, "no permissions in namespace tare. Does the namespace exist? If it does, \"tare render --rbac\" prints"},
		"names of hidden nodes are said to be unchecked": {"oltp_read_only, threads: 1", "", "image: 'm:1', node: n7", "image: 'm:1', node: n7", freeCluster{hidden: true}, exitDone, "not checked, because nodes may not be listed: whether the cluster has the node n7 (node)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.cluster)
			defer server.Close()
			dir := t.TempDir()
			kubeconfig, spec := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "x.yaml")
			cluster := "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: '" + server.URL + "'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}"
			if err := os.WriteFile(kubeconfig, []byte(cluster), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(spec, fmt.Appendf(nil, podsSpec, c.workload, c.protocol, kubeconfig, c.a, c.b), 0o644); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			code := run([]string{"check", spec}, &terminal{out: &out, err: &errs, stateDir: filepath.Join(dir, "state")})
			if said := out.String() + errs.String(); code != c.code || !strings.Contains(strings.Join(strings.Fields(said), " "), c.want) {
				t.Errorf("exit %d, want %d and %q:\n%s", code, c.code, c.want, said)
			} else if n := strings.Count(said, "Does the namespace exist?"); n > 1 {
				t.Errorf("said %d times:\n%s", n, said)
			}
		})
	}
}
