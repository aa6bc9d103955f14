package kubernetes

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes/cni"
)

// TestInterface: server and load pods ask for the interface and for its device.
func TestInterface(t *testing.T) {
	set := Settings{Image: "m", ClientImage: "tare:1", Clients: 2, Interface: "net1", Attachment: "tare/sriov-net", AttachmentResource: "intel.com/intel_sriov_netdevice"}
	if err := errors.Join(set.contradictions()...); err != nil {
		t.Fatal(err)
	}
	s := &server{target: offline(set), request: target.Request{Name: "t1"}}
	want := `[{"name":"sriov-net","namespace":"tare","interface":"net1"}]`
	for what, pod := range map[string]corev1.PodTemplateSpec{"server": s.statefulSet().Spec.Template, "load": s.loaders().job(time.Minute).Spec.Template} {
		if got := pod.Annotations[cni.NetworksAnnotation]; got != want {
			t.Errorf("%s: annotation %s, want %s", what, got, want)
		}
		r := pod.Spec.Containers[0].Resources
		for _, list := range []corev1.ResourceList{r.Requests, r.Limits} {
			if n := list["intel.com/intel_sriov_netdevice"]; n.Value() != 1 {
				t.Errorf("%s: resources %v", what, r)
			}
		}
	}
	plain := &server{target: offline(Settings{Image: "m"}), request: target.Request{Name: "t1"}}
	if pod := plain.statefulSet().Spec.Template; len(pod.Annotations) > 0 {
		t.Errorf("without an interface: %v", pod.Annotations)
	}
}

// TestInterfaceContradictions: what no cluster could satisfy.
func TestInterfaceContradictions(t *testing.T) {
	good := Settings{Image: "m", Interface: "net1", Attachment: "macvlan-conf"}
	for says, change := range map[string]func(*Settings){
		"":                                    func(*Settings) {},
		"interface: eth0 is an interface":     func(s *Settings) { s.Interface = "eth0" },
		"is not the name of an interface":     func(s *Settings) { s.Interface = "a/b" },
		"attachment: name the Network":        func(s *Settings) { s.Attachment = "" },
		"write NAME or NAMESPACE/NAME":        func(s *Settings) { s.Attachment = "a/b/c" },
		"attachment: no interface is":         func(s *Settings) { s.Interface = "" },
		"interface: a server in its node's":   func(s *Settings) { s.HostNetwork = true },
		"interface: a client in the server":   func(s *Settings) { s.Client, s.ClientImage = socketClient, "tare" },
		"address: packets to a Service's":     func(s *Settings) { s.Address = serviceAddress },
		"interface: the pod is made by":       func(s *Settings) { s.Image, s.Operator = "", "innodbcluster" },
		"interface: the pod is that of the m": func(s *Settings) { s.Image, s.Manifests = "", []string{"x"} },
	} {
		s := good
		change(&s)
		err := errors.Join(s.contradictions()...)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// TestInterfaceAddress is that of Multus's annotation; without one the error names it.
func TestInterfaceAddress(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	if _, err := interfaceAddress(pod, "net1"); err == nil || !strings.Contains(err.Error(), "is Multus installed") {
		t.Error(err)
	}
	pod.Annotations = map[string]string{cni.StatusAnnotation: `[{"name":"cbr0","ips":["10.244.1.73"],"default":true},{"name":"macvlan-conf","interface":"net1","ips":["192.168.1.205"]}]`}
	if got, err := interfaceAddress(pod, "net1"); got != "192.168.1.205" || err != nil {
		t.Error(got, err)
	}
	if _, err := interfaceAddress(pod, "net2"); err == nil || !strings.Contains(err.Error(), `["net1"]`) {
		t.Error(err)
	}
}
