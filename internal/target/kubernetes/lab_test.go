//go:build lab

package kubernetes

// Tests on a real cluster: the lab (make lab-up), or any other by a kubeconfig.
// They run with the rights of docs/kubernetes-rbac.yaml and no others.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/targettest"
)

// settings are those of an arm in the cluster of the tests.
func settings(t *testing.T) Settings {
	t.Helper()
	kubeconfig := os.Getenv("TARE_TEST_KUBECONFIG")
	if kubeconfig == "" {
		t.Fatal("TARE_TEST_KUBECONFIG names no cluster; `make lab-test` brings one up and runs these tests")
	}
	image := os.Getenv("TARE_TEST_IMAGE")
	if image == "" {
		image = "localhost/mysql:1"
	}
	return Settings{Kubeconfig: kubeconfig, Namespace: "tare", Image: image, VolumeSize: 1 << 30}
}

// arm makes a target, and releases it at the end of the test: then nothing of it
// may be left.
func arm(t *testing.T, s Settings) *Kubernetes {
	t.Helper()
	made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
	if err != nil {
		t.Fatal(err)
	}
	k := made.(*Kubernetes)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for range 2 {
			if err := k.Release(ctx); err != nil {
				t.Errorf("Release: %v", err)
			}
		}
		if left := objects(t, k); len(left) > 0 {
			t.Errorf("left in the cluster: %v", left)
		}
	})
	return k
}

// objects are the names of everything that carries tare's label and the arm's.
func objects(t *testing.T, k *Kubernetes) []string {
	t.Helper()
	var names []string
	for _, kind := range k.all() {
		found, err := k.cluster.scoped(kind).List(context.Background(), metav1.ListOptions{LabelSelector: k.selector()})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range found.Items {
			names = append(names, kind.Resource+"/"+u.GetName())
		}
	}
	return names
}

// requests are for servers in a cluster: nothing of theirs is on this machine.
func requests(t *testing.T) func() target.Request {
	home := t.TempDir()
	n := 0
	return func() target.Request {
		n++
		name := fmt.Sprintf("kubernetes-%d-%d", os.Getpid(), n)
		r := target.Request{
			Name: name, Dir: filepath.Join(home, name), RunDir: filepath.Join(home, name, "run"), Log: io.Discard,
			Config: map[string]string{"innodb_buffer_pool_size": "64M"}, ReadyWithin: 5 * time.Minute, // copies of files, on a machine that may be busy
		}
		if err := os.MkdirAll(r.RunDir, 0o755); err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// begin starts a server and waits for its answer to a query.
func begin(t *testing.T, k *Kubernetes, r target.Request) target.Server {
	t.Helper()
	s, err := k.Start(context.Background(), r)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
	if err := mysqld.Ready(context.Background(), s.Address(), r.ReadyWithin, s.Alive); err != nil {
		t.Fatalf("server is not ready: %v", err)
	}
	return s
}

// TestKubernetes: the suite that every target passes.
func TestKubernetes(t *testing.T) {
	s := settings(t)
	s.QoS, s.CPURequest, s.MemoryRequest = node.Burstable, 100, 256<<20
	k := arm(t, s)
	targettest.Run(t, func(t *testing.T) (target.Target, func() target.Request) { return k, requests(t) })
}

// query asks the server at an address for one value.
func query(t *testing.T, at mysqld.Address, sql string) string {
	t.Helper()
	db, err := mysqld.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var value string
	if err := db.QueryRow(sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func run(t *testing.T, at mysqld.Address, statements ...string) {
	t.Helper()
	db, err := mysqld.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, sql := range statements {
		if _, err := db.Exec(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// TestSameData: every trial begins with what the preparation left, on a claim
// and on a directory of the node, and the class is the one asked for.
func TestSameData(t *testing.T) {
	base := settings(t)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		qos    string
	}{
		{"claim, Service, BestEffort, host network", func(s *Settings) { s.Address, s.HostNetwork = serviceAddress, true }, "BestEffort"},
		{"hostPath, node, Guaranteed", func(s *Settings) {
			s.Volume, s.VolumeSize, s.Node, s.Address = hostPathVolume, 0, "n2", nodeAddress
			s.QoS, s.CPU, s.Memory = node.Guaranteed, 500, 512<<20
		}, "Guaranteed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			c.change(&s)
			k, request := arm(t, s), requests(t)
			r := request()
			r.Initialize = true
			server := begin(t, k, r)
			at := target.ClientOf(server).Address
			run(t, at, "CREATE DATABASE app", "CREATE TABLE app.t (i INT)", "INSERT INTO app.t VALUES (1)")
			if got := factOf(server, "pod.qos"); got != c.qos {
				t.Errorf("the pod is %s, want %s", got, c.qos)
			}
			if err := server.Stop(context.Background()); err != nil {
				t.Fatal(err)
			}
			for trial := range 2 {
				server := begin(t, k, request())
				at := target.ClientOf(server).Address
				if got := query(t, at, "SELECT COUNT(*) FROM app.t"); got != "1" {
					t.Errorf("trial %d begins with %s rows, want 1", trial, got)
				}
				run(t, at, "INSERT INTO app.t VALUES (2)")
				if err := server.Stop(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

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
	s.VolumeSize, s.Bare, s.Node = 0, true, "n1"
	k, request := arm(t, s), requests(t)
	r := request()
	r.Initialize = true
	server := begin(t, k, r)
	run(t, target.ClientOf(server).Address, "CREATE DATABASE app", "CREATE TABLE app.t (i INT)", "INSERT INTO app.t VALUES (1)")
	pids := mysqldsOf(t, "n1", r.Name)
	if len(pids) != 1 {
		t.Fatalf("servers on the node: %v, want one", pids)
	}
	if got, want := inNode(t, "n1", "cat", "/proc/"+pids[0]+"/cgroup"), inNode(t, "n1", "cat", "/proc/1/cgroup"); got != want {
		t.Errorf("cgroups of the server:\n%s\nof the node's first process:\n%s", got, want)
	}
	for _, namespace := range []string{"net", "pid", "ipc", "uts", "cgroup", "user"} {
		if got, want := inNode(t, "n1", "readlink", "/proc/"+pids[0]+"/ns/"+namespace), inNode(t, "n1", "readlink", "/proc/1/ns/"+namespace); got != want {
			t.Errorf("%s: the server is in %s, the node in %s", namespace, got, want)
		}
	}
	if got := inNode(t, "n1", "grep", "-E", "^(Seccomp|NoNewPrivs|Uid):", "/proc/"+pids[0]+"/status"); got != "Uid:\t999\t999\t999\t999\nNoNewPrivs:\t0\nSeccomp:\t0" {
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
		for wait := 0; len(mysqldsOf(t, "n1", r.Name)) > 0; wait++ {
			if wait > 100 {
				t.Fatalf("the server of trial %d still runs on the node", trial)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// TestCheckSays: what will not work is said before anything is made.
func TestCheckSays(t *testing.T) {
	base := settings(t)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		says   string
	}{
		{"it fits", func(*Settings) {}, ""},
		{"as much as there is", func(s *Settings) { s.QoS, s.Memory = node.Guaranteed, 1<<30 }, ""},
		{"too many CPUs", func(s *Settings) { s.CPURequest = 56000 }, "cpu: 0 of 3 nodes have room: asked 56000m CPU"},
		{"no such node", func(s *Settings) { s.Node = "n9" }, "node: no node has the label kubernetes.io/hostname=n9"},
		{"no rights", func(s *Settings) { s.Namespace = "kube-system" }, "kubeconfig: these credentials may not, in namespace kube-system: patch statefulsets.apps"},
		{"no such file", func(s *Settings) { s.Kubeconfig = "/no/such/file" }, "kubeconfig: find cluster"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			c.change(&s)
			made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(made.Check(context.Background())...)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("Check: %v; want %q", err, c.says)
			}
		})
	}
}

// TestStartSays: a pod that cannot run is explained within its time limit, and
// nothing of it is left but the claim, which Release takes.
func TestStartSays(t *testing.T) {
	base := settings(t)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		says   string
	}{
		{"image", func(s *Settings) { s.Image = "localhost:1/no-such-image:1" }, "ErrImagePull"},
		{"no class of volumes", func(s *Settings) { s.StorageClass = "no-such-class" }, "no node took pod"},
		{"no priority", func(s *Settings) { s.PriorityClass = "no-such-class" }, "no PriorityClass with name no-such-class was found"},
		{"option", func(s *Settings) {}, "the container ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			c.change(&s)
			k, r := arm(t, s), requests(t)()
			r.ReadyWithin = 8 * time.Second
			if c.name == "option" {
				r.ReadyWithin, r.Config = time.Minute, map[string]string{"no_such_option": "1"}
			}
			server, err := k.Start(context.Background(), r)
			if err == nil {
				err = mysqld.Ready(context.Background(), server.Address(), r.ReadyWithin, server.Alive)
				if err := server.Stop(context.Background()); err != nil {
					t.Errorf("Stop: %v", err)
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Start: %v; want %q", err, c.says)
			}
		})
	}
}

// TestFacts: what the kubelet says of itself and of the pod, and what the pod sees
// of its network.
func TestFacts(t *testing.T) {
	s := settings(t)
	s.QoS, s.CPU, s.Memory, s.Node = node.Guaranteed, 500, 512<<20, "n3"
	server := begin(t, arm(t, s), requests(t)())
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

// administrator is the cluster's, for what tare itself may not do.
func administrator(t *testing.T) *cluster {
	t.Helper()
	file := os.Getenv("TARE_TEST_ADMIN")
	if file == "" {
		t.Skip("TARE_TEST_ADMIN names no kubeconfig of an administrator, who makes what a pod is refused for")
	}
	c, err := connect(file, "", "tare")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRefused: what an admission does not let in is said long before the time is
// up, with the next step, and leaves nothing.
func TestRefused(t *testing.T) {
	base, admin := settings(t), administrator(t)
	ctx := context.Background()
	refused := func(t *testing.T, says, next string) {
		t.Helper()
		s := base
		s.QoS, s.CPU, s.Memory = node.Guaranteed, 500, 512<<20
		r := requests(t)()
		r.ReadyWithin = 5 * time.Minute
		limit, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		_, err := arm(t, s).Start(limit, r)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "; next: "+next) {
			t.Errorf("Start: %v; want %q and %q", err, says, next)
		}
	}
	t.Run("quota", func(t *testing.T) {
		quotas := corev1.SchemeGroupVersion.WithResource("resourcequotas")
		quota := &corev1.ResourceQuota{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ResourceQuota"}, ObjectMeta: metav1.ObjectMeta{Name: "small", Namespace: "tare"},
			Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceLimitsCPU: resource.MustParse("100m")}}}
		if err := admin.apply(ctx, quotas, "small", quota); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := admin.remove(ctx, quotas, "small"); err != nil {
				t.Error(err)
			}
		}()
		// Its controller counts first what there is.
		for range 100 {
			if q, err := get[corev1.ResourceQuota](ctx, admin, quotas, "small"); err == nil && len(q.Status.Hard) > 0 {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		refused(t, "exceeded quota: small", "ask for less under cpu and memory")
	})
	t.Run("Pod Security", func(t *testing.T) {
		level := func(value string) {
			patch := `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":` + value + `}}}`
			spaces := admin.dynamic.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))
			if _, err := spaces.Patch(ctx, "tare", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		level(`"restricted"`)
		defer level("null")
		refused(t, "violates PodSecurity", "the namespace's Pod Security level forbids this pod")
	})
}

// TestClean: an arm whose tare runs is left alone; with force it goes, the
// directory on its node too.
func TestClean(t *testing.T) {
	s := settings(t)
	s.Volume, s.VolumeSize, s.Node = hostPathVolume, 0, "n1"
	k := arm(t, s)
	begin(t, k, requests(t)())
	at := Where{Kubeconfig: s.Kubeconfig, Namespace: s.Namespace}
	before := objects(t, k)
	var log bytes.Buffer
	if n, err := Clean(context.Background(), at, false, &log); err != nil || n != 0 || !strings.Contains(log.String(), k.id) {
		t.Errorf("Clean: %d arms, %v; log %q", n, err, log.String())
	}
	if diff := cmp.Diff(before, objects(t, k)); diff != "" {
		t.Errorf("a running arm has changed (-before +after):\n%s", diff)
	}
	if n, err := Clean(context.Background(), at, true, io.Discard); err != nil || n != 1 {
		t.Errorf("Clean with force: %d arms, %v; want 1", n, err)
	}
	if left := objects(t, k); len(left) > 0 {
		t.Errorf("left after Clean: %v", left)
	}
}

// TestOwn: the user's own manifests, patched: what is measured is their server,
// its data stay from trial to trial, and nothing of them is left at the end.
func TestOwn(t *testing.T) {
	base := settings(t)
	s := patched()
	s.Kubeconfig, s.Namespace = base.Kubeconfig, base.Namespace
	k, request := arm(t, s), requests(t)
	if errs := k.Check(context.Background()); errs != nil {
		t.Fatalf("Check: %v", errs)
	}
	for trial := range 2 {
		r := request()
		r.Config = nil
		server := begin(t, k, r)
		at := target.ClientOf(server).Address
		if trial == 0 {
			run(t, at, "CREATE TABLE t (i INT)", "INSERT INTO t VALUES (1)")
		}
		if got := query(t, at, "SELECT COUNT(*) FROM t"); got != "1" {
			t.Errorf("trial %d begins with %s rows, want 1", trial, got)
		}
		for key, want := range map[string]string{"pod.qos": "Guaranteed", "pod.cpu.limit": "500m", "pod.node": "n1"} {
			if got := factOf(server, key); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
		if err := server.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	left, err := k.cluster.scoped(statefulSets).List(context.Background(), metav1.ListOptions{})
	if err != nil || len(left.Items) > 0 {
		t.Errorf("left after Release: %v, %v", left, err)
	}
}

// TestOwnSays: manifests that cannot be run are explained before or within the
// time limit, and what others have made is left as it is.
func TestOwnSays(t *testing.T) {
	base := settings(t)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		says   string
	}{
		{"image", func(s *Settings) {
			s.Patches = []Patch{{Patch: "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {spec: {containers: [{name: server, image: 'localhost:1/none:1', imagePullPolicy: Always}]}}}}"}}
		}, "ErrImagePull"},
		{"never ready", func(s *Settings) {
			s.Patches = []Patch{{Patch: "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {spec: {containers: [{name: server, command: [sleep, '100']}]}}}}"}}
		}, "Unhealthy: Readiness probe failed"},
		{"no password", func(s *Settings) { s.Server.PasswordKey = "absent" }, `Secret db-login has no key "absent"`},
		{"no Service", func(s *Settings) { s.Server.Service = "absent" }, "get services absent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := patched()
			s.Kubeconfig, s.Namespace = base.Kubeconfig, base.Namespace
			c.change(&s)
			k, r := arm(t, s), requests(t)()
			r.Config, r.ReadyWithin = nil, 20*time.Second
			if _, err := k.Start(context.Background(), r); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Start: %v; want %q", err, c.says)
			}
		})
	}
	t.Run("of others", func(t *testing.T) {
		s := patched()
		s.Kubeconfig, s.Namespace = base.Kubeconfig, base.Namespace
		k := arm(t, s)
		others := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: s.Namespace},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1}}}}
		if err := k.cluster.apply(context.Background(), services, "db", others); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := k.cluster.remove(context.Background(), services, "db"); err != nil {
				t.Error(err)
			}
		}()
		if err := errors.Join(k.Check(context.Background())...); err == nil || !strings.Contains(err.Error(), "there is a Service db in namespace tare that tare did not make") {
			t.Errorf("Check: %v", err)
		}
	})
}
