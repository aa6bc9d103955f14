package kubernetes

// Where the load connects (address): the pod, its Service, a NodePort or a load balancer.

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// exposed is the address of the server's pod, or of a port of its Service.
func (s *server) exposed(ctx context.Context, service *corev1.Service, port corev1.ServicePort) (host string, number int, err error) {
	headless := service.Spec.ClusterIP == corev1.ClusterIPNone
	switch s.target.settings.Address {
	case serviceAddress:
		if !headless {
			return service.Spec.ClusterIP, int(port.Port), nil
		}
	case nodeAddress:
		if port.NodePort == 0 {
			return "", 0, fmt.Errorf("find the server: address is node, and Service %s of type %s has no NodePort", service.Name, service.Spec.Type)
		}
		return s.pod.Status.HostIP, int(port.NodePort), nil
	case loadBalancerAddress:
		if service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			return "", 0, fmt.Errorf("find the server: address is loadbalancer, and Service %s is of type %s", service.Name, service.Spec.Type)
		}
		host, err = s.balanced(ctx, service.Name)
		return host, int(port.Port), err
	}
	// A headless Service has no address: its name stands for its pods'.
	return s.pod.Status.PodIP, s.serverPort, nil
}

// balancedWithin is how long a cloud may take to make a load balancer and its name.
const balancedWithin = 10 * time.Minute

// balanced is the address that a load balancer has given a Service: a host name or an IP
// address (status.loadBalancer.ingress).
func (s *server) balanced(ctx context.Context, name string) (string, error) {
	limit, cancel := context.WithTimeout(ctx, balancedWithin)
	defer cancel()
	for {
		v, err := get[corev1.Service](limit, s.target.cluster, services, name)
		if err == nil {
			for _, in := range v.Status.LoadBalancer.Ingress {
				if in.Hostname+in.IP != "" {
					return in.Hostname + in.IP, nil
				}
			}
		}
		if pause(limit, pollEvery) != nil {
			if ctx.Err() != nil {
				return "", fmt.Errorf("find the server: %w", context.Cause(ctx))
			}
			return "", errors.New(record.FindServer.Say(record.NoBalancer.Say(name, balancedWithin.String())))
		}
	}
}

// lasting tells the objects that stay from trial to trial: what holds data, and what a
// cloud takes minutes to make a load balancer for.
func lasting(u *unstructured.Unstructured) bool {
	kind, _, err := unstructured.NestedString(u.Object, "spec", "type")
	return u.GetKind() == claimKind || u.GetKind() == "Service" && err == nil && kind == loadBalancer
}

// checkExposed refuses an address that no Service of the manifests has.
func (k *Kubernetes) checkExposed(objects []*unstructured.Unstructured) error {
	want := map[string][]string{nodeAddress: {nodePort, loadBalancer}, loadBalancerAddress: {loadBalancer}}[k.settings.Address]
	if len(want) == 0 {
		return nil
	}
	for _, u := range objects {
		if u.GetKind() != "Service" || k.settings.Server.Service != "" && u.GetName() != k.settings.Server.Service {
			continue
		}
		kind, _, err := unstructured.NestedString(u.Object, "spec", "type")
		for _, w := range want {
			if err == nil && kind == w {
				return nil
			}
		}
	}
	return target.Wrong("address", "%s is the address of a Service of type %s, and the manifests have none for the server; change its type there or by an entry of patches", k.settings.Address, want[0])
}

// reachedFrom says why pods of another cluster cannot connect to the address. A pod's own
// address is routed between clusters in some networks, and has to be asked for there.
func (k *Kubernetes) reachedFrom(cluster string) error {
	if k.settings.Interface != "" {
		return target.Wrong("interface", "the pods of load.from do not have the interface; leave interface out, or write clients in the arms and leave load.from out")
	}
	if k.cluster == nil || k.cluster.config.Host == cluster {
		return nil
	}
	const next = "write address: loadbalancer or address: node"
	switch {
	case k.settings.Address == serviceAddress:
		return target.Wrong("address", "the load comes from cluster %s, and a Service has its address in its own cluster only; %s", cluster, next)
	case k.settings.Address == podAddress && k.address == "":
		return target.Wrong("address", "the load comes from cluster %s; %s, or address: pod if the networks of both clusters route to each other's pods", cluster, next)
	}
	return nil
}
