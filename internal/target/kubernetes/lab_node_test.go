//go:build lab

package kubernetes

// What a server has of its node, bare or in a pod, as the node itself shows it.

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

func factOf(s target.Server, key string) string {
	for _, f := range s.Facts(context.Background(), "start") {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// inNode runs a command in a node of the lab, and says what it printed.
func inNode(t *testing.T, node string, argv ...string) string {
	t.Helper()
	lab := os.Getenv("TARE_TEST_LAB")
	if lab == "" {
		t.Skip("TARE_TEST_LAB names no lab program, by which to look into a node")
	}
	out, err := exec.Command(lab, append([]string{"exec", node}, argv...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v in %s: %v\n%s", argv, node, err, out)
	}
	return strings.TrimSpace(string(out))
}

// mysqldsOf are the servers of an instance in a node, as process numbers.
func mysqldsOf(t *testing.T, node, instance string) []string {
	t.Helper()
	return strings.Fields(inNode(t, node, "sh", "-c", "for p in /proc/[0-9]*; do case $(readlink $p/exe) in */mysqld) "+
		"tr '\\0' '\\n' <$p/environ | grep -qx TARE_INSTANCE="+instance+" && basename $p;; esac; done; :"))
}

// TestBare: a process of the node has the cgroups, namespaces and root of none of
// its pods, begins every trial with the same data, and is gone with its pod, also
// with one that was killed.
func TestBare(t *testing.T) {
	s := settings(t)
	first, _ := nodeNames(t)
	s.VolumeSize, s.Bare, s.Node = 0, true, first
	k, request := labArm(t, s), requests(t)
	r := request()
	r.Initialize = true
	server := begin(t, k, r)
	run(t, target.ClientOf(server).Address, "CREATE DATABASE app", "CREATE TABLE app.t (i INT)", "INSERT INTO app.t VALUES (1)")
	pids := mysqldsOf(t, first, r.Name)
	if len(pids) != 1 {
		t.Fatalf("servers on the node: %v, want one", pids)
	}
	if got, want := inNode(t, first, "cat", "/proc/"+pids[0]+"/cgroup"), inNode(t, first, "cat", "/proc/1/cgroup"); got != want {
		t.Errorf("cgroups of the server:\n%s\nof the node's first process:\n%s", got, want)
	}
	for _, namespace := range []string{"net", "pid", "ipc", "uts", "cgroup", "user"} {
		if got, want := inNode(t, first, "readlink", "/proc/"+pids[0]+"/ns/"+namespace), inNode(t, first, "readlink", "/proc/1/ns/"+namespace); got != want {
			t.Errorf("%s: the server is in %s, the node in %s", namespace, got, want)
		}
	}
	if got := inNode(t, first, "grep", "-E", "^(Seccomp|NoNewPrivs|Uid):", "/proc/"+pids[0]+"/status"); got != "Uid:\t999\t999\t999\t999\nNoNewPrivs:\t0\nSeccomp:\t0" {
		t.Errorf("status of the server: %q", got)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	for trial := range 2 {
		r := request()
		server := begin(t, k, r)
		at := target.ClientOf(server).Address
		if got := query(t, at, "SELECT COUNT(*) FROM app.t"); got != "1" {
			t.Errorf("trial %d begins with %s rows, want 1", trial, got)
		}
		run(t, at, "INSERT INTO app.t VALUES (2)")
		if trial == 1 { // a pod that is gone without a word takes the process with it
			if err := k.cluster.scoped(pods).Delete(context.Background(), k.id+"-0", metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
				t.Fatal(err)
			}
		}
		if err := server.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		for wait := 0; len(mysqldsOf(t, first, r.Name)) > 0; wait++ {
			if wait > 100 {
				t.Fatalf("the server of trial %d still runs on the node", trial)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// TestFacts: what the kubelet says of itself and of the pod, and what the pod sees
// of its network.
func TestFacts(t *testing.T) {
	s := settings(t)
	s.QoS, s.CPU, s.Memory, s.Node = node.Guaranteed, 500, 512<<20, "n3"
	server := begin(t, labArm(t, s), requests(t)())
	facts := func() map[string]string {
		all := map[string]string{}
		for _, f := range server.Facts(context.Background(), "start") {
			if f.Unknown == "" {
				all[f.Key] = f.Value
			}
		}
		return all
	}
	got := facts()
	// cAdvisor looks at a container every ten seconds or so.
	for begun := time.Now(); got["cgroup.container.cpu.stat.nr_periods"] == "" && time.Since(begun) < time.Minute; time.Sleep(time.Second) {
		got = facts()
	}
	for key, want := range map[string]string{
		"kubelet.cpuManagerPolicy": "static", "kubelet.cpuCFSQuotaPeriod": "100ms", "kubelet.cgroupDriver": "cgroupfs",
		"cgroup.container.cpu.cfs_quota_us": "50000", "cgroup.container.cpu.shares": "512", "cgroup.container.memory.limit_in_bytes": "536870912",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	for _, key := range []string{"cgroup.container.cpu.stat.nr_periods", "cgroup.container.cpu.stat.nr_throttled", "network.mtu.eth0"} {
		if got[key] == "" {
			t.Errorf("%s is not known", key)
		}
	}
	t.Logf("network: %s, %s, mtu %s, %s", got["network.plugin"], got["network.between"], got["network.mtu.eth0"], got["network.link"])
}
