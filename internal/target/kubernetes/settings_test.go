package kubernetes

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/node"
)

// TestContradictions: what no cluster could satisfy is said before one is asked,
// with the fix.
func TestContradictions(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		says     string
	}{
		{Settings{Image: "mysql:8.4"}, ""},
		{Settings{Image: "m", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, Volume: "claim", Address: "service"}, ""},
		{Settings{Image: "m", QoS: node.Guaranteed, Memory: 1 << 30}, ""},
		{Settings{Image: "m", QoS: node.Burstable, CPURequest: 100}, ""},
		{Settings{Image: "m", Volume: "hostPath", Node: "n1"}, ""},
		{Settings{}, "image: the image is missing"},
		{Settings{Image: "m", QoS: node.BestEffort, CPU: 1}, "qos: a BestEffort pod has no requests"},
		{Settings{Image: "m", QoS: node.Burstable}, "qos: a Burstable pod requests something"},
		{Settings{Image: "m", QoS: node.Burstable, CPU: 1000, Memory: 1 << 30}, "qos: these requests and limits make the pod Guaranteed"},
		{Settings{Image: "m", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, CPURequest: 500}, "qos: a Guaranteed pod requests its limits; leave out cpuRequest, or write cpuRequest: null in an arm or a layer that inherits it"},
		{Settings{Image: "m", QoS: node.Guaranteed, CPU: 1000}, "memory: a Guaranteed pod has a memory limit"},
		{Settings{Image: "m", CPU: 1000, CPURequest: 2000}, "cpuRequest: 2 is more than the limit cpu: 1"},
		{Settings{Image: "m", CPU: node.MaxCPU, CPURequest: 2000}, "cpuRequest: cpu: max is the most"},
		{Settings{Image: "m", Memory: 1 << 30, MemoryRequest: 2 << 30}, "memoryRequest: 2Gi is more than"},
		{Settings{Image: "m", Volume: "hostPath"}, "node: the data of a hostPath are on one node only"},
		{Settings{Image: "m", Volume: "hostPath", Node: "n1", StorageClass: "fast"}, "volume: a hostPath has no storage class"},
		{Settings{Image: "m", Volume: "emptyDir"}, ""},
		{Settings{Image: "m", Volume: "emptyDir", VolumeSize: 1 << 30}, ""},
		{Settings{Image: "m", Volume: "emptyDir", StorageClass: "fast"}, "storageClass: emptyDir is on the node"},
		{Settings{Image: "m", Volume: "tmpfs", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, VolumeSize: 512 << 20}, ""},
		{Settings{Image: "m", Volume: "tmpfs", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, VolumeSize: 2 << 30}, "volumeSize: files in a tmpfs count"},
		{Settings{Image: "m", Bare: true, Node: "n1", Volume: "emptyDir"}, "volume: a process on the node has its data"},
		{Settings{Image: "m", Volume: "nfs"}, `volume: "nfs" is not a volume; use claim, hostPath, emptyDir or tmpfs`},
		{Settings{Image: "m", Address: "dns"}, `address: "dns" is not an address; write pod, service, node (a NodePort) or loadbalancer`},
		{Settings{Image: "m", Clients: 2, ClientImage: "tare", ClientNode: "n2"}, ""},
		{Settings{Image: "m", Clients: 2, ClientImage: "tare", ClientCPURequest: 500}, ""},
		{Settings{Image: "m", Clients: 2, ClientImage: "tare", ClientCPURequest: node.MaxCPU}, "clientCPURequest: expected an amount"},
		{Settings{Image: "m", ClientCPURequest: 500}, "clientCPURequest: it requires load from pods"},
		{Settings{Image: "m", Bare: true, Node: "n1"}, ""},
		{Settings{Image: "m", Bare: true}, "node: the node is missing"},
		{Settings{Image: "m", Bare: true, Node: "n1", QoS: node.BestEffort}, "qos: a process on the node has no pod"},
		{Settings{Image: "m", Bare: true, Node: "n1", Volume: "claim"}, "volume: a process on the node has its data"},
		{Settings{Image: "m", Bare: true, Node: "n1", Client: "socket", ClientImage: "tare"}, "client: a process on the node has no pod"},
		{Settings{Image: "m", Client: "socket", ClientImage: "tare"}, ""},
		{Settings{Image: "m", Client: "same-pod"}, ""},
		{Settings{Image: "m", Client: "moon", ClientImage: "tare"}, `client: "moon" is not a client location`},
		{Settings{Image: "m", Client: "socket", ClientImage: "tare", Clients: 1}, "clients: client and clients exclude each other"},
		{Settings{Image: "m", Client: "socket", ClientImage: "tare", Address: "pod"}, "address: client: socket determines the address"},
		{Settings{Image: "m", Neighbour: &node.Neighbour{CPU: 500}, ClientImage: "tare"}, ""},
		{Settings{Image: "m", Neighbour: &node.Neighbour{CPU: 500}}, ""},
		{Settings{Image: "m", Neighbour: &node.Neighbour{}, ClientImage: "tare"}, "neighbour: it does nothing"},
		{Settings{Image: "m", Clients: 2, BaseImage: "busybox", Programs: []string{"tare"}}, ""},
		{Settings{Image: "m", Clients: 2, BaseImage: "busybox", ClientImage: "tare"}, "clientImage: an image with tare needs no stream"},
		{Settings{Image: "m", BaseImage: "busybox"}, "clients: baseImage and programs are for pods that run tare"},
		{Settings{Image: "m", Programs: []string{"tare"}}, "clients: baseImage and programs are for pods that run tare"},
		{Settings{Image: "m", ClientNode: "n2"}, "clients: clientNode and clientImage are for load from pods"},
		{Settings{Image: "m", Seccomp: "strict"}, "seccomp: "},
		{Settings{Image: "m", CPURequest: 100, HugePages: 64 << 20}, ""},
		{Settings{Image: "m", HugePages: 64 << 20}, "hugepages-2Mi: only a pod that requests CPU or memory"},
		{Settings{Image: "m", CPURequest: 100, HugePages: 1 << 20}, "hugepages-2Mi: 1Mi is not a whole number of pages"},
		{Settings{Image: "m", Bare: true, Node: "n1", HugePages: 64 << 20}, "hugepages-2Mi: a process on the node has no pod"},
		{Settings{Manifests: []string{"x"}, Server: Login{Secret: "s"}, HugePages: 64 << 20}, "hugepages-2Mi: the pod is that of the manifests"},
		{Settings{Image: "m", ProbeNamespace: "tare-probe", ClientImage: "tare"}, ""},
		{Settings{Image: "m", ProbeNamespace: "tare-probe"}, ""},
	} {
		err := errors.Join(c.settings.contradictions()...)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v; want %q", c.settings, err, c.says)
		}
	}
}

func amount(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

// TestPodRequests: containers add up with sidecars and overhead, an init container counts where it is
// more, and the requests of the pod as a whole replace them all.
func TestPodRequests(t *testing.T) {
	with := func(l corev1.ResourceList) corev1.Container {
		return corev1.Container{Resources: corev1.ResourceRequirements{Requests: l}}
	}
	pod := corev1.Pod{Spec: corev1.PodSpec{
		Containers:     []corev1.Container{with(amount("100m", "1Gi")), with(amount("250m", "1Gi")), with(nil)},
		InitContainers: []corev1.Container{with(amount("1", "1Gi"))},
	}}
	if got, want := podRequests(pod), (node.Resources{CPU: 1000, Memory: 2 << 30}); got != want {
		t.Errorf("podRequests: %+v, want %+v", got, want)
	}
	always := corev1.ContainerRestartPolicyAlways
	proxy := with(amount("900m", "64Mi"))
	proxy.RestartPolicy = &always
	pod.Spec.InitContainers, pod.Spec.Overhead = []corev1.Container{proxy}, amount("50m", "16Mi")
	if got, want := podRequests(pod), (node.Resources{CPU: 1300, Memory: 2<<30 + 80<<20}); got != want {
		t.Errorf("with a sidecar and overhead: %+v, want %+v", got, want)
	}
	if got := podRequirements(pod).Limit; got != (node.Resources{}) {
		t.Errorf("limit of a pod whose sidecar has none: %+v", got)
	}
	pod.Spec.Resources = &corev1.ResourceRequirements{Requests: amount("2", "3Gi"), Limits: amount("4", "3Gi")}
	if got, want := podRequirements(pod), (node.Requirements{Request: node.Resources{CPU: 2050, Memory: 3<<30 + 16<<20}, Limit: node.Resources{CPU: 4000, Memory: 3 << 30}}); got != want {
		t.Errorf("with requests of the pod as a whole: %+v, want %+v", got, want)
	}
}

// TestDescribe: why a pod fits nowhere, in words and numbers.
func TestDescribe(t *testing.T) {
	found := []vacancy{
		{node: "n2", allocatable: node.Resources{CPU: 55900, Memory: 64 << 30}, taken: node.Resources{CPU: 400, Memory: 1 << 30}},
		{node: "n1", closed: "it is cordoned; kubectl uncordon n1"},
	}
	want := "n1: it is cordoned; kubectl uncordon n1; n2: allocatable 55900m CPU and 64Gi memory, requested by pods 400m CPU and 1Gi memory, largest pod that fits 55500m CPU and 63Gi memory"
	if diff := cmp.Diff(want, describe(found)); diff != "" {
		t.Errorf("describe (-want +got):\n%s", diff)
	}
}

// TestClosed: taints, cordons and nodes that are not ready take no pod.
func TestClosed(t *testing.T) {
	taint := corev1.Taint{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}
	tainted := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{taint}}}
	if got := (&Kubernetes{}).closed(tainted); !strings.Contains(got, "dedicated=db:NoSchedule") {
		t.Errorf("a tainted node: %q", got)
	}
	if got := (&Kubernetes{settings: Settings{Tolerate: true}}).closed(tainted); got != "" {
		t.Errorf("a tolerated taint closes the node: %q", got)
	}
	down := corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Message: "kubelet stopped"}}}}
	if got := (&Kubernetes{}).closed(down); got != "it is not ready: kubelet stopped" {
		t.Errorf("a node that is not ready: %q", got)
	}
}

// TestStuck: what waiting does not resolve is reported at once, and only that.
func TestStuck(t *testing.T) {
	waiting := func(reason string) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: containerName, Image: "m:1", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "not found"}}}}}}
	}
	if got := stuck(waiting("ErrImagePull")); got != "ErrImagePull: not found (image m:1)" {
		t.Errorf("an image that cannot be pulled: %q", got)
	}
	placed := func(selector map[string]string, said string) *corev1.Pod {
		return &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: selector}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: said}}}}
	}
	const none = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
	host := map[string]string{corev1.LabelHostname: "n9"}
	if got := stuck(placed(host, none)); got != none {
		t.Errorf("no node has the name: %q", got)
	}
	for name, pod := range map[string]*corev1.Pod{
		"an autoscaler may make one": placed(map[string]string{"pool": "db"}, none),
		"the node is full":           placed(host, "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector."),
	} {
		if got := stuck(pod); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := stuck(waiting("ContainerCreating")); got != "" {
		t.Errorf("a container that is being made is stuck: %q", got)
	}
}

// TestLoadPod: a load pod has the weight that it is given, and is told from strangers.
func TestLoadPod(t *testing.T) {
	s := &server{target: &Kubernetes{id: "arm", cluster: &cluster{holds: &holdings{}}, settings: Settings{Clients: 2, ClientImage: "tare", ClientCPURequest: 500}}}
	s.request.Name = "trial"
	got := s.loaders().job(time.Hour).Spec.Template.Spec.Containers[0]
	want := corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}}
	if d := cmp.Diff(want, got.Resources); d != "" {
		t.Errorf("resources (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]corev1.EnvVar{{Name: "TARE_INSTANCE", Value: "trial"}}, got.Env); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
	s.target.settings.ClientCPURequest = 0
	if got := s.loaders().job(time.Hour).Spec.Template.Spec.Containers[0].Resources; len(got.Requests)+len(got.Limits) > 0 {
		t.Errorf("without a request it has %v", got)
	}
}
