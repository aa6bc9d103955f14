package kubernetes

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clientgotesting "k8s.io/client-go/testing"
)

// TestPluginFacts: pods, ConfigMaps and IP pools are read from where plugins have them, and
// a right that is missing costs their settings alone.
func TestPluginFacts(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	pool := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "crd.projectcalico.org/v1", "kind": "IPPool", "metadata": map[string]any{"name": "default"},
		"spec": map[string]any{"cidr": "10.1.0.0/16", "ipipMode": "CrossSubnet"},
	}}
	agent := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "calico-node-1", Namespace: "kube-system"}}
	agent.Spec.Containers = []corev1.Container{{Name: "calico-node"}, {Name: "kube-proxy"}}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kube-proxy", Namespace: "kube-system"}, Data: map[string]string{"config.conf": "mode: nftables\n"}}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(scheme, map[schema.GroupVersionResource]string{ipPools: "IPPoolList"}, pool, agent, config)
	s := &server{target: &Kubernetes{id: "arm", cluster: &cluster{holds: &holdings{}, dynamic: client, namespace: "tare"}}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	facts := func() map[string]string {
		byKey := map[string]string{}
		for _, f := range s.pluginFacts(t.Context(), node) {
			byKey[f.Key] = f.Value + f.Unknown
		}
		return byKey
	}
	got := facts()
	if got["network.plugin"] != "calico" || !strings.HasPrefix(got["network.between"], "ipip between subnets") || got["network.service_proxy"] != "kube-proxy, nftables" {
		t.Errorf("%v", got)
	}
	client.PrependReactor("*", "*", func(a clientgotesting.Action) (bool, runtime.Object, error) {
		kind := a.GetResource()
		return kind == ipPools || kind == configMaps, nil, apierrors.NewForbidden(kind.GroupResource(), "", errors.New("not allowed"))
	})
	got = facts()
	if got["network.plugin"] != "calico" || got["network.service_proxy"] != "kube-proxy" || !strings.Contains(got["network.plugin.settings"], "the capability network of docs/kubernetes-rbac.yaml") {
		t.Errorf("without the rights: %v", got)
	}
}
