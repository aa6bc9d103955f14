package kubernetes

// Where the load connects (address): the pod, its Service, a NodePort or a load balancer.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// endpoint is where the load connects over the network.
type endpoint struct {
	kind string // a word of address, or "interface NAME"
	host string
	port int
	note string // why the kind is not the one that the arm asks for; "" where it is
}

func (e endpoint) String() string { return net.JoinHostPort(e.host, strconv.Itoa(e.port)) }

// exposed is the address of the server's pod, or of a port of its Service.
func (s *server) exposed(ctx context.Context, service *corev1.Service, port corev1.ServicePort) (endpoint, error) {
	pod := endpoint{kind: podAddress, host: s.pod.Status.PodIP, port: s.serverPort}
	switch s.target.settings.Address {
	case serviceAddress:
		if service.Spec.ClusterIP == corev1.ClusterIPNone { // its name stands for its pods' addresses
			pod.note = "Service " + service.Name + " is headless"
			return pod, nil
		}
		return endpoint{kind: serviceAddress, host: service.Spec.ClusterIP, port: int(port.Port)}, nil
	case nodeAddress:
		if port.NodePort == 0 {
			return endpoint{}, fmt.Errorf("find the server: address is node, and Service %s of type %s has no NodePort", service.Name, service.Spec.Type)
		}
		return endpoint{kind: nodeAddress, host: s.pod.Status.HostIP, port: int(port.NodePort)}, nil
	case loadBalancerAddress:
		if service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			return endpoint{}, fmt.Errorf("find the server: address is loadbalancer, and Service %s is of type %s", service.Name, service.Spec.Type)
		}
		host, err := s.balanced(ctx, service.Name)
		return endpoint{kind: loadBalancerAddress, host: host, port: int(port.Port)}, err
	}
	return pod, nil
}

// addressFact is the kind of the address that the load connects to, which need not be the one
// that the arm asks for, with the address itself.
func (s *server) addressFact() record.Fact {
	f := record.Fact{Key: keys.NetworkAddress}
	switch at := s.Client().Address; {
	case at.Socket != "":
		f.Value, f.Source = "socket", at.Socket
	case s.target.settings.Client == samePodClient:
		f.Value, f.Source = "loopback", net.JoinHostPort(at.Host, strconv.Itoa(at.Port))
	default:
		f.Value, f.Source = s.at.kind, s.at.String()
		if s.at.note != "" {
			f.Source += ", " + s.at.note
		}
	}
	return f
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
