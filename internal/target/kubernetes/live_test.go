package kubernetes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cadvisorPage has a container with a quota, one without, and the node, as kubelet v1.34
// writes them.
const cadvisorPage = `# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="",cpu="total",id="/",image="",name="",namespace="",pod=""} 900 1700000002000
container_cpu_usage_seconds_total{container="mysqld",cpu="total",id="/kubepods/a",image="m",name="a",namespace="shop",pod="db-0"} 12.5 1700000001000
container_cpu_usage_seconds_total{container="mysqld",cpu="total",id="/kubepods/b",image="m",name="b",namespace="shop",pod="db-1"} 3 1700000001500
# TYPE container_cpu_user_seconds_total counter
container_cpu_user_seconds_total{container="",id="/",image="",name="",namespace="",pod=""} 600 1700000002000
# TYPE container_cpu_system_seconds_total counter
container_cpu_system_seconds_total{container="",id="/",image="",name="",namespace="",pod=""} 300 1700000002000
# TYPE container_cpu_cfs_periods_total counter
container_cpu_cfs_periods_total{container="mysqld",id="/kubepods/a",image="m",name="a",namespace="shop",pod="db-0"} 400 1700000001000
# TYPE container_cpu_cfs_throttled_periods_total counter
container_cpu_cfs_throttled_periods_total{container="mysqld",id="/kubepods/a",image="m",name="a",namespace="shop",pod="db-0"} 100 1700000001000
# TYPE container_cpu_cfs_throttled_seconds_total counter
container_cpu_cfs_throttled_seconds_total{container="mysqld",id="/kubepods/a",image="m",name="a",namespace="shop",pod="db-0"} 7 1700000001000
# TYPE container_spec_cpu_quota gauge
container_spec_cpu_quota{container="mysqld",id="/kubepods/a",image="m",name="a",namespace="shop",pod="db-0"} 50000
# TYPE container_spec_cpu_period gauge
container_spec_cpu_period{container="mysqld",id="/kubepods/a",image="m",name="a",namespace="shop",pod="db-0"} 100000
# TYPE container_spec_memory_limit_bytes gauge
container_spec_memory_limit_bytes{container="mysqld",id="/kubepods/a",image="m",name="a",namespace="shop",pod="db-0"} 1048576
# TYPE machine_cpu_cores gauge
machine_cpu_cores 2
`

// TestReadCAdvisor: of a page of cAdvisor's the server's container and the node, each with
// its own time; a container without a quota was never throttled.
func TestReadCAdvisor(t *testing.T) {
	for pod, want := range map[string]map[string]float64{
		"db-0": {"cgroup.cpu.usage_ns": 12.5e9, "cgroup.cpu.nr_periods": 400, "cgroup.cpu.nr_throttled": 100, "cgroup.cpu.throttled_ns": 7e9, "cgroup.cpu.limit": 0.5, "cgroup.memory.limit_bytes": 1 << 20},
		"db-1": {"cgroup.cpu.usage_ns": 3e9, "cgroup.cpu.nr_periods": 0, "cgroup.cpu.nr_throttled": 0, "cgroup.cpu.throttled_ns": 0},
	} {
		got, err := readCAdvisor(cadvisorPage, map[string]string{"namespace": "shop", "pod": pod, "container": "mysqld"})
		if err != nil || len(got) != 2 {
			t.Fatal(got, err)
		}
		if diff := cmp.Diff(want, got[0].Values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pod, diff)
		}
		node := got[1]
		if node.At.UnixMilli() != 1700000002000 || node.Values["host.cpu.user_ns"] != 600e9 || node.Values["host.cpu.idle_ns"] != 2*1700000002e9-900e9 {
			t.Errorf("node: %+v", node)
		}
	}
	if _, err := readCAdvisor(cadvisorPage, map[string]string{"namespace": "shop", "pod": "db-2", "container": "mysqld"}); err == nil || !strings.Contains(err.Error(), "db-2") {
		t.Errorf("a pod that is not on the page: %v", err)
	}
}

// TestDatabaseIn: the server's container is found by its port or its name, and named where
// several can be it.
func TestDatabaseIn(t *testing.T) {
	port := []corev1.ContainerPort{{ContainerPort: 3306}}
	for _, c := range []struct {
		containers []corev1.Container
		name, want string
	}{
		{[]corev1.Container{{Name: "x"}}, "", "x"},
		{[]corev1.Container{{Name: "proxy"}, {Name: "x", Ports: port}}, "", "x"},
		{[]corev1.Container{{Name: "proxy"}, {Name: "mysql"}}, "", "mysql"},
		{[]corev1.Container{{Name: "proxy"}, {Name: "mysql"}}, "proxy", "proxy"},
		{[]corev1.Container{{Name: "proxy"}, {Name: "mysql"}}, "other", "error: it has proxy, mysql"},
		{[]corev1.Container{{Name: "a"}, {Name: "b"}}, "", "error: name one of a, b with --container"},
	} {
		got, err := databaseIn(&corev1.Pod{Spec: corev1.PodSpec{Containers: c.containers}}, c.name)
		if says, fails := strings.CutPrefix(c.want, "error: "); fails != (err != nil) || err != nil && !strings.Contains(err.Error(), says) || err == nil && got.Name != c.want {
			t.Errorf("%+v: %s, %v; want %s", c, got.Name, err, c.want)
		}
	}
}

// TestLiveFacts: the shares are the kubelet's for the request in effect.
func TestLiveFacts(t *testing.T) {
	request := func(cpu string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
	}
	server := corev1.Container{Name: "mysqld", Resources: request("250m")}
	inEffect := request("2")
	for want, l := range map[string]Live{
		"2":    {pod: &corev1.Pod{}, container: corev1.Container{Name: "mysqld"}},
		"256":  {pod: &corev1.Pod{}, container: server},
		"2048": {pod: &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "mysqld", Resources: &inEffect}}}}, container: server},
	} {
		got := map[string]string{}
		for _, f := range l.Facts() {
			got[f.Key] = f.Value
		}
		if got["server.cpu_shares"] != want || got["container.namespace.net"] != "its own" {
			t.Errorf("%v, want %s shares", got, want)
		}
	}
}

// TestLiveCPULimit: the limit is the one in effect, and the pod's for a container without one.
func TestLiveCPULimit(t *testing.T) {
	limit := func(cpu string) *corev1.ResourceRequirements {
		return &corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
	}
	half := corev1.Container{Name: "mysqld", Resources: *limit("500m")}
	for want, l := range map[string]Live{
		"none":  {pod: &corev1.Pod{}},
		"500m":  {pod: &corev1.Pod{}, container: half},
		"2000m": {pod: &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "mysqld", Resources: limit("2")}}}}, container: half},
		"3000m": {pod: &corev1.Pod{Spec: corev1.PodSpec{Resources: limit("3")}}},
	} {
		if got := l.limit(); got != want {
			t.Errorf("a limit of %s, want %s", got, want)
		}
	}
}

// TestLiveManifest: what lint reads is the pod as somebody would have written it.
func TestLiveManifest(t *testing.T) {
	l := Live{pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db-0", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mysqld"}}}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}}
	text, err := l.Manifest()
	if err != nil || !strings.Contains(string(text), "kind: Pod") || strings.Contains(string(text), "managedFields") || strings.Contains(string(text), "Running") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestLiveNotRunning: a container that waits for its next start is told with its state, its end and the command that shows
// why. One that runs between two ends is told where it did not answer, and is watched otherwise.
func TestLiveNotRunning(t *testing.T) {
	end := &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}
	crashed := corev1.ContainerStatus{Name: "mysqld", RestartCount: 4, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}, LastTerminationState: corev1.ContainerState{Terminated: end}}
	between := corev1.ContainerStatus{Name: "mysqld", RestartCount: 4, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, LastTerminationState: corev1.ContainerState{Terminated: end}}
	const lines = "its server ended with exit code 1 (Error); `kubectl logs -n shop db-0 -c mysqld --previous` shows its last lines"
	for _, c := range []struct {
		of     corev1.ContainerStatus
		silent bool
		want   string
	}{
		{crashed, false, "container mysqld of pod shop/db-0 is in CrashLoopBackOff: " + lines},
		{between, true, "container mysqld of pod shop/db-0 is started again and again (CrashLoopBackOff, 4 restarts): " + lines},
		{between, false, ""},
		{corev1.ContainerStatus{Name: "mysqld", State: corev1.ContainerState{Terminated: end}}, false, "container mysqld of pod shop/db-0 has ended: " + lines},
		{corev1.ContainerStatus{Name: "mysqld", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}, false,
			"container mysqld of pod shop/db-0 is in ImagePullBackOff; `kubectl describe pod -n shop db-0` says why"},
		{corev1.ContainerStatus{Name: "exporter", State: crashed.State}, true, ""},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db-0"}, Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{c.of}}}
		l := &Live{cluster: &cluster{holds: &holdings{}, namespace: "shop"}, pod: pod, container: corev1.Container{Name: "mysqld"}}
		got := ""
		if err := l.notRunning(pod, c.silent); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
