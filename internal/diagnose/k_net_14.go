package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kNET14() Rule {
	return Rule{
		ID: "K-NET-14", Title: "Traffic from outside may cross a second node", Severity: Note, Needs: []Need{needPod()},
		What: "A LoadBalancer or NodePort Service with externalTrafficPolicy: Cluster, the default, takes packets on any node, rewrites their source " +
			"and sends them on to the pod's.",
		Fix:     "Inside the cluster a ClusterIP or headless Service; from outside externalTrafficPolicy: Local, or a load balancer with pods as its targets.",
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
				all = append(all, hint(at, "Service %s takes connections on any node and sends them on to the pod's", s.Name).fix("externalTrafficPolicy: Local, and a ClusterIP Service for clients inside"))
			}
			if len(all) == 0 && !c.DB.Pod.Meta.Get("labels").IsMap() {
				return list(unknown("the pod has no labels, so that no Service can be told to be its own"))
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
