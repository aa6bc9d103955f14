package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kNET14() Rule {
	return Rule{
		ID: "K-NET-14", Title: "NodePort or LoadBalancer traffic takes an extra hop", Severity: Note, Needs: []Need{needPod()},
		What: "With externalTrafficPolicy: Cluster, the default, a LoadBalancer or NodePort Service accepts packets on any node, rewrites the source " +
			"address and forwards them to the pod's node.",
		Impact: "Higher network latency for each statement, and the client's address is lost.",
		Fix: "Use a ClusterIP or headless Service inside the cluster. From outside, set externalTrafficPolicy: Local, or use a load balancer with pods as " +
			"targets.",
		Sources: []string{k8sService, kubeblocks2023},
		Check: func(c *Case) []Finding {
			var all []Finding
			for _, s := range c.services() {
				kind := s.Value.Get("spec", "type")
				policy := s.Value.Get("spec", "externalTrafficPolicy")
				if kind.Text() != "LoadBalancer" && kind.Text() != "NodePort" || policy.Text() == "Local" {
					continue
				}
				at := kind.Spot()
				if policy.Exists() {
					at = policy.Spot()
				}
				all = append(all, hint(at, "Service %s accepts connections on any node and forwards them to the pod's node", s.Name).fix("externalTrafficPolicy: Local, and a ClusterIP Service for clients in the cluster"))
			}
			if len(all) == 0 && !c.DB.Pod.Meta.Get("labels").IsMap() {
				return list(unknown("the pod has no labels, so its Services are unknown"))
			}
			return all
		},
	}
}

// services are the Services of the set that select the pod.
func (c *Case) services() []*manifest.Object {
	var all []*manifest.Object
	for _, s := range c.Set.All("Service") {
		selector := s.Value.Get("spec", "selector")
		if len(selector.Fields()) > 0 && s.Namespace == c.DB.Object.Namespace && c.selected(selector) {
			all = append(all, s)
		}
	}
	return all
}

// selected is whether the pod has every label that a selector asks for.
func (c *Case) selected(selector manifest.Value) bool {
	labels := c.DB.Pod.Meta.Get("labels")
	for _, f := range selector.Fields() {
		if labels.Get(f.Key).Text() != f.Text() {
			return false
		}
	}
	return true
}
