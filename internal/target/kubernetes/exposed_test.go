package kubernetes

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// balancedService answers every request with a Service that a load balancer has given a
// host name.
func balancedService(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db"}, "status": {"loadBalancer": {"ingress": [{"hostname": "db.elb.example.com"}]}}}`)) // the client may have gone
}

// TestExposed: the load connects to what the arm's address names, at the port of that.
func TestExposed(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(balancedService))
	defer api.Close()
	there, err := connect(Where{Kubeconfig: kubeconfigFor(t, api.URL), Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address, kind, ip string
		nodePort          int32
		want, says        string
		port              int
	}{
		{podAddress, "ClusterIP", "10.97.0.5", 0, "10.245.0.7", "", 3307},
		{serviceAddress, "ClusterIP", "10.97.0.5", 0, "10.97.0.5", "", 3306},
		{serviceAddress, "ClusterIP", corev1.ClusterIPNone, 0, "10.245.0.7", "", 3307},
		{nodeAddress, "NodePort", "10.97.0.5", 30306, "10.200.0.11", "", 30306},
		{nodeAddress, "ClusterIP", "10.97.0.5", 0, "", "Service db of type ClusterIP has no NodePort", 0},
		{loadBalancerAddress, "LoadBalancer", "10.97.0.5", 30306, "db.elb.example.com", "", 3306},
		{loadBalancerAddress, "ClusterIP", corev1.ClusterIPNone, 0, "", "address is loadbalancer, and Service db is of type ClusterIP", 0},
	} {
		s := &server{target: &Kubernetes{cluster: there, settings: Settings{Address: c.address}}, serverPort: 3307,
			pod: &corev1.Pod{Status: corev1.PodStatus{PodIP: "10.245.0.7", HostIP: "10.200.0.11"}}}
		v := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceType(c.kind), ClusterIP: c.ip}}
		v.Name = "db"
		at, err := s.exposed(t.Context(), v, corev1.ServicePort{Port: 3306, NodePort: c.nodePort})
		if at.host != c.want || at.port != c.port || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s at a Service of type %s: %s:%d, %v; want %s:%d %s", c.address, c.kind, at.host, at.port, err, c.want, c.port, c.says)
		}
	}
}

// TestServiceIsExposed: tare's own Service has the type of the arm's address. One with a
// load balancer is the arm's and not the trial's: a cloud takes minutes to make it.
func TestServiceIsExposed(t *testing.T) {
	for address, want := range map[string]string{podAddress: "", serviceAddress: "", nodeAddress: nodePort, loadBalancerAddress: loadBalancer} {
		s := &server{target: offline(Settings{Image: "m", Address: address})}
		s.request.Name = "t1"
		v := s.service()
		_, ofTrial := v.Labels[instanceLabel]
		if string(v.Spec.Type) != want || ofTrial != (address != loadBalancerAddress) {
			t.Errorf("%s: a Service of type %q, of the trial: %v", address, v.Spec.Type, ofTrial)
		}
	}
}

// TestManifestsAreExposed: an address that no Service of the manifests has is refused
// before anything is made.
func TestManifestsAreExposed(t *testing.T) {
	for _, c := range []struct{ address, kind, says string }{
		{serviceAddress, "ClusterIP", ""},
		{nodeAddress, "NodePort", ""},
		{nodeAddress, "LoadBalancer", ""}, // which has a port on every node, too
		{nodeAddress, "", "address: node is the address of a Service of type NodePort, and the manifests have none for the server"},
		{loadBalancerAddress, "LoadBalancer", ""},
		{loadBalancerAddress, "NodePort", "address: loadbalancer is the address of a Service of type LoadBalancer"},
	} {
		u := &unstructured.Unstructured{Object: map[string]any{"kind": "Service", "metadata": map[string]any{"name": "db"}, "spec": map[string]any{}}}
		if c.kind != "" {
			u.Object["spec"].(map[string]any)["type"] = c.kind
		}
		k := &Kubernetes{settings: Settings{Manifests: []string{"x"}, Address: c.address}}
		err := k.checkExposed([]*unstructured.Unstructured{u})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s with a Service of type %q: %v, want %q", c.address, c.kind, err, c.says)
		}
		if stays := lasting(u); stays != (c.kind == loadBalancer) {
			t.Errorf("a Service of type %q stays: %v", c.kind, stays)
		}
	}
}

// TestReachedFrom: pods of another cluster reach what is exposed, and a pod's own address
// only where the arm asks for it.
func TestReachedFrom(t *testing.T) {
	there, err := connect(Where{Kubeconfig: kubeconfigFor(t, "https://127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	for given, says := range map[string]string{
		"": "write address: loadbalancer or address: node, or address: pod", podAddress: "",
		serviceAddress: "a Service has its address in its own cluster only", nodeAddress: "", loadBalancerAddress: "",
	} {
		k := &Kubernetes{cluster: there, address: given, settings: Settings{Address: given}.defaulted()}
		err := k.reachedFrom("https://127.0.0.1:2")
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("address %q: %v, want %q", given, err, says)
		}
		if err := k.reachedFrom("https://127.0.0.1:1"); err != nil {
			t.Errorf("address %q from its own cluster: %v", given, err)
		}
	}
}
