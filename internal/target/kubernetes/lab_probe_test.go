//go:build lab

package kubernetes

// What a pod beside the server reads of it on its node, and volumes that are gone
// with their pod.

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// probed is an arm with probe pods, in the namespace of the capability probe of docs/kubernetes-rbac.yaml.
func probed(s Settings) Settings {
	s = clients(s, 0)
	s.ProbeNamespace = "tare-probe"
	return s
}

// TestProbesBeside: the readings of the pod are the node's own, of a pod with a quota
// and of a process of the node; nothing of the pod stays.
func TestProbesBeside(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Settings)
		limit  float64
	}{
		{"pod", func(s *Settings) { s.QoS, s.CPU, s.Memory = node.Guaranteed, 500, 512<<20 }, 0.5},
		{"bare", func(s *Settings) { s.VolumeSize, s.Bare = 0, true }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := probed(settings(t))
			set.Node, _ = nodeNames(t)
			c.change(&set)
			k, r := labArm(t, set), requests(t)()
			if errs := k.Check(context.Background()); len(errs) > 0 {
				t.Fatal(errs)
			}
			s := begin(t, k, r).(*server)
			dial, err := s.Probe(context.Background(), query(t, s.Address(), "SELECT @@datadir"))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			b, err := probe.Reach(ctx, dial)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			for _, l := range b.Lines {
				if l.Fact != nil && l.Fact.Unknown != "" {
					t.Logf("%s: %s", l.Fact.Key, l.Fact.Unknown)
					if l.Fact.Key == "data.filesystem" {
						t.Error("what the data lie on is not known")
					}
				}
			}
			got := readings(t, b)
			for _, name := range []string{"cgroup.cpu.usage_ns", "cgroup.memory.usage_bytes", "server.cpu.user_ns", "server.session.threads", "server.background.run_ns", "host.cpu.idle_ns", "host.memory.available_bytes", "network.received_bytes", "tcp.sent_segments", "probe.cpu_ns"} {
				if _, ok := got[name]; !ok {
					t.Errorf("%s is not read", name)
				}
			}
			if got["cgroup.cpu.limit"] != c.limit {
				t.Errorf("the quota is %v CPUs, want %v", got["cgroup.cpu.limit"], c.limit)
			}
			pids := mysqldsOf(t, set.Node, r.Name)
			if len(pids) != 1 {
				t.Fatalf("servers on the node: %v", pids)
			}
			if threads, _ := strconv.ParseFloat(inNode(t, set.Node, "sh", "-c", "ls /proc/"+pids[0]+"/task | wc -l"), 64); got["server.threads"] < threads-3 || got["server.threads"] > threads+3 {
				t.Errorf("%v threads are read, the server has %v", got["server.threads"], threads)
			}
			if err := s.Stop(context.Background()); err != nil {
				t.Fatal(err)
			}
			left, err := k.cluster.in("tare-probe").scoped(pods).List(context.Background(), metav1.ListOptions{LabelSelector: k.selector()})
			if err != nil || len(left.Items) > 0 {
				t.Errorf("%d probe pods are left, %v", len(left.Items), err)
			}
		})
	}
}

// TestProbesCleaned: what a killed tare has left is found in the namespace of probe
// pods too, by the arm's own objects.
func TestProbesCleaned(t *testing.T) {
	set := probed(settings(t))
	k := labArm(t, set)
	s := begin(t, k, requests(t)()).(*server)
	if _, err := s.Probe(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	if n, err := Clean(context.Background(), Where{Kubeconfig: set.Kubeconfig, Namespace: set.Namespace}, true, io.Discard, func(string) {}); err != nil || n != 1 {
		t.Errorf("Clean: %d arms, %v", n, err)
	}
	left, err := k.cluster.in(set.ProbeNamespace).scoped(pods).List(context.Background(), metav1.ListOptions{LabelSelector: armLabel})
	if err != nil || len(left.Items) > 0 || len(objects(t, k)) > 0 {
		t.Errorf("%d probe pods are left, %v; and %v", len(left.Items), err, objects(t, k))
	}
}

// readings are one sample of everything.
func readings(t *testing.T, b *probe.Beside) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	w := probe.Start(probe.Place{}, nil).With(b)
	err := w.Run(context.Background(), probe.Window{Began: time.Now(), Measure: 1100 * time.Millisecond}, func(l record.Line) error {
		for name, v := range l.Sample.Values.All() {
			got[name] = v
		}
		return nil
	})
	if f := b.Missed(); err != nil || f.Unknown != "" {
		t.Fatalf("readings: %v, %+v", err, f)
	}
	return got
}

// TestProbesRefused: a namespace that does not admit the pod, and one without rights,
// are said before anything starts, and a run without a namespace says what to write.
func TestProbesRefused(t *testing.T) {
	for namespace, says := range map[string]string{
		"kube-system": "probeNamespace: these credentials lack permissions in namespace kube-system: get pods, create pods, patch pods",
		"nowhere":     "probeNamespace: these credentials lack permissions in namespace nowhere: get pods, create pods, patch pods",
	} {
		set := probed(settings(t))
		set.ProbeNamespace = namespace
		err := errors.Join(labArm(t, set).Check(context.Background())...)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "docs/kubernetes-rbac.yaml") {
			t.Errorf("%s: %v; want %q", namespace, err, says)
		}
	}
}

// TestEmptyDirs: the data are made in the pod, the server starts again on them as the
// same pod's, and the next pod has none.
func TestEmptyDirs(t *testing.T) {
	for _, volume := range []string{emptyDirVolume, tmpfsVolume} {
		t.Run(volume, func(t *testing.T) {
			set := settings(t)
			set.Volume, set.VolumeSize = volume, 0
			k, request := labArm(t, set), requests(t)
			for trial := range 2 {
				s := begin(t, k, request())
				at := target.ClientOf(s).Address
				if got := query(t, at, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'app'"); got != "0" {
					t.Fatalf("trial %d begins with data", trial)
				}
				run(t, at, "CREATE DATABASE app", "CREATE TABLE app.t (i INT)", "INSERT INTO app.t VALUES (1)")
				before := s.Facts(context.Background(), "start")
				if err := s.Capabilities().Restart(context.Background()); err != nil {
					t.Fatal(err)
				}
				if err := s.Alive(); err != nil {
					t.Errorf("Alive after a restart: %v", err)
				}
				ready(t, s)
				if got := query(t, at, "SELECT COUNT(*) FROM app.t"); got != "1" {
					t.Errorf("trial %d: %s rows after the restart, want 1", trial, got)
				}
				if got := factOf(s, "pod.restarts"); got != "1" || len(before) == 0 {
					t.Errorf("the container was started again %s times", got)
				}
				if err := s.Stop(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestHugePagesRefused: the lab's nodes have none, and it is said with what to do.
func TestHugePagesRefused(t *testing.T) {
	set := settings(t)
	set.CPURequest, set.HugePages = 100, 1<<40
	err := errors.Join(labArm(t, set).Check(context.Background())...)
	if err == nil || !strings.Contains(err.Error(), "hugepages-2Mi: 0 of 3 nodes have 1Ti of huge pages left") {
		t.Errorf("Check: %v", err)
	}
}

// TestHugePagesTaken: the server has the huge pages that its pod requested, where the
// nodes have some.
func TestHugePagesTaken(t *testing.T) {
	set := probed(settings(t))
	set.CPURequest, set.HugePages = 100, 256<<20
	k, r := labArm(t, set), requests(t)()
	if err := errors.Join(k.Check(context.Background())...); err != nil && strings.Contains(err.Error(), "of huge pages left") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	r.Config["large_pages"] = "ON"
	s := begin(t, k, r).(*server)
	dial, err := s.Probe(context.Background(), query(t, s.Address(), "SELECT @@datadir"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := probe.Reach(ctx, dial)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	got := readings(t, b)
	// Of its pool of 64 MiB the server has touched little by now.
	t.Logf("%.0f MiB of huge pages", got["server.hugetlb_bytes"]/(1<<20))
	if got["server.hugetlb_bytes"] < 2*hugePageSize {
		t.Errorf("the server has %v bytes of huge pages", got["server.hugetlb_bytes"])
	}
}
