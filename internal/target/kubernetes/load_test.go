//go:build lab

package kubernetes

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// clients makes the load of an arm come from pods.
func clients(s Settings, n int) Settings {
	s.Clients, s.ClientImage = n, ownImage()
	return s
}

// prepared starts a server with a little data, and returns the job of its load.
func prepared(t *testing.T, k *Kubernetes, threads int) (*server, loadgen.Job) {
	t.Helper()
	s := begin(t, k, requests(t)()).(*server)
	j := loadgen.Job{Workload: "oltp_read_only", Tables: 1, Rows: 500, Threads: threads, Measure: 2 * time.Second, Seed: 1, Server: s.Address()}
	if err := loadgen.BuiltIn("").Prepare(context.Background(), j, io.Discard); err != nil {
		t.Fatal(err)
	}
	j.Server = target.ClientOf(s).Address
	return s, j
}

// TestLoadFromPods: what is merged of one, two and six pods is the sum of what
// they printed, to the last count of the histogram; their host is another node's.
func TestLoadFromPods(t *testing.T) {
	set := clients(settings(t), 6)
	set.Address = serviceAddress
	set.Node, set.ClientNode = nodeNames(t)
	s, j := prepared(t, labArm(t, set), 6)
	for _, of := range []int{1, 2, 6} {
		s.target.settings.Clients = of
		var mu sync.Mutex
		var parts []*summary.Summary
		listen := func(ctx context.Context, job []byte, line func(int, []byte) error) error {
			return s.Generate(ctx, job, func(number int, text []byte) error {
				var p struct{ Report *summary.Summary }
				if strings.HasPrefix(string(text), `{"report"`) {
					if err := json.Unmarshal(text, &p); err != nil {
						return err
					}
					mu.Lock()
					parts = append(parts, p.Report)
					mu.Unlock()
				}
				return line(number, text)
			})
		}
		var window *record.Window
		outcome, reason, err := loadgen.Distribute(context.Background(), j, of, s.request.Name+string(rune('a'+of)), listen, func(l record.Line) error {
			if l.Window != nil {
				window = l.Window
			}
			return nil
		})
		if err != nil || outcome != record.Measured || len(parts) != of {
			t.Fatalf("%d pods: %s %s, %v; %d reports", of, outcome, reason, err, len(parts))
		}
		checkSum(t, window, parts)
		facts := s.loadFacts(context.Background())
		if !slices.ContainsFunc(facts, func(f record.Fact) bool { return f.Key == "load.pod.0.node" && f.Value == set.ClientNode }) {
			t.Errorf("no load came from node %s: %v", set.ClientNode, facts)
		}
		if err := s.target.cluster.removeAll(context.Background(), made, s.target.selector()+","+roleLabel+"="+loadRole); err != nil {
			t.Fatal(err)
		}
	}
}

func checkSum(t *testing.T, window *record.Window, parts []*summary.Summary) {
	t.Helper()
	var transactions int64
	sum := &record.Histogram{Scheme: parts[0].Latency.Histogram.Scheme}
	for _, p := range parts {
		transactions += p.Counts.Transactions
		sum.Merge(p.Latency.Histogram)
	}
	if window.Counts.Transactions != transactions || transactions == 0 {
		t.Errorf("%d pods: %d transactions, the parts have %d", len(parts), window.Counts.Transactions, transactions)
	}
	if diff := cmp.Diff(sum.Counts, window.Latency.Histogram.Counts); diff != "" {
		t.Errorf("%d pods: histogram (-sum +got):\n%s", len(parts), diff)
	}
}

// TestLoadInside: the load comes from the server's own pod, over the socket and
// over TCP, and the pod keeps its class; a neighbour works beside it on its node.
func TestLoadInside(t *testing.T) {
	for _, client := range []string{socketClient, samePodClient} {
		t.Run(client, func(t *testing.T) {
			set := clients(settings(t), 0)
			set.Client, set.QoS, set.CPU, set.Memory = client, node.Guaranteed, 500, 1<<30 // for both
			set.Neighbour = &node.Neighbour{CPU: 100}
			s, j := prepared(t, labArm(t, set), 2)
			var window *record.Window
			outcome, reason, err := loadgen.Distribute(context.Background(), j, s.Generators(), s.request.Name, s.Generate, func(l record.Line) error {
				if l.Window != nil {
					window = l.Window
				}
				return nil
			})
			if err != nil || outcome != record.Measured || window == nil || window.Counts.Transactions == 0 {
				t.Fatalf("Spread: %s %s, %v; %+v", outcome, reason, err, window)
			}
			for key, want := range map[string]string{"pod.qos": "Guaranteed", "neighbour.alive": "yes", "neighbour.qos": "BestEffort", "neighbour.node": factOf(s, "pod.node")} {
				if got := factOf(s, key); got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			// The password went in by a Secret, not by the pod's own text.
			pod, err := get[corev1.Pod](context.Background(), s.target.cluster, pods, s.podName())
			if err != nil {
				t.Fatal(err)
			}
			if text, err := json.Marshal(pod); err != nil || strings.Contains(string(text), s.account.Password) {
				t.Errorf("the pod has the password in it, %v", err)
			}
		})
	}
}

// TestLoadPodKilled: a pod that is killed in the middle makes the load fail; what
// the other one counted is not a result.
func TestLoadPodKilled(t *testing.T) {
	s, j := prepared(t, labArm(t, clients(settings(t), 2)), 2)
	j.Measure = 30 * time.Second
	begun := time.Now()
	var once sync.Once
	kill := func() {
		pod, err := s.loaders().pod(context.Background(), 1)
		if err == nil {
			err = s.target.cluster.remove(context.Background(), pods, pod.Name)
		}
		if err != nil {
			t.Error(err)
		}
	}
	outcome, reason, err := loadgen.Distribute(context.Background(), j, 2, s.request.Name, s.Generate, func(l record.Line) error {
		if l.Window != nil {
			t.Errorf("a window of half a load: %+v", l.Window)
		}
		if l.Interval != nil {
			once.Do(kill)
		}
		return nil
	})
	if err == nil || outcome != record.Failed {
		t.Errorf("Spread: %s %s, %v; want failed", outcome, reason, err)
	}
	t.Logf("after %s: %v", time.Since(begun), err)
}
