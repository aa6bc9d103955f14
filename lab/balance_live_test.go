//go:build lab

package main

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBalance: a Service of type LoadBalancer gets an address at which its pods answer, and nobody
// answers there when it is gone.
func TestBalance(t *testing.T) {
	const service = "{apiVersion: v1, kind: Service, metadata: {name: balanced, namespace: kube-system}, spec: {type: LoadBalancer, selector: {k8s-app: kube-dns}, ports: [{port: 5353, targetPort: 53}]}}"
	l := &lab{dir: strings.TrimSuffix(programs(), "/bin")}
	if _, err := l.kubectl(t.Context(), service, "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	remove := func() {
		kubectl(t, "delete", "service", "balanced", "--namespace", "kube-system", "--ignore-not-found")
	}
	t.Cleanup(remove)
	address := ""
	for deadline := time.Now().Add(time.Minute); address == ""; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no address")
		}
		address = string(kubectl(t, "get", "service", "balanced", "--namespace", "kube-system", "-o", "jsonpath={.status.loadBalancer.ingress[0].ip}"))
	}
	at := net.JoinHostPort(address, "5353")
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", at)
	}
	names := &net.Resolver{PreferGo: true, Dial: dial}
	var found []string
	var err error
	for deadline := time.Now().Add(time.Minute); !slices.Contains(found, apiService); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) { // HAProxy and kube-proxy begin a moment after
			t.Fatalf("at %s: %v, %v; want %s", at, found, err, apiService)
		}
		found, err = names.LookupHost(t.Context(), "kubernetes.default.svc.cluster.local.")
	}
	remove()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		c, err := dial(t.Context(), "", "")
		if err != nil {
			return
		}
		c.Close()
		if time.Now().After(deadline) {
			t.Fatalf("somebody answers at %s, whose Service is gone", at)
		}
	}
}
