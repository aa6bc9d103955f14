package kubernetes

// Which node a server, and a load pod, prefers where its arm names none: that of the run's other servers. Two servers on two nodes
// differ in all that the nodes differ in, their neighbours first of all.

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// besideOthers prefers the node that the run's servers were on before, and one with servers that are up: those of a
// round start together, when no node is known yet. Preferred and not required: a node without room for all of them
// would leave a pod pending. The report says which nodes it was (compare.onOtherNodes). Nil where the arm names the node.
func (s *server) besideOthers() *corev1.Affinity {
	if s.target.settings.Node != "" {
		return nil
	}
	return beside(serverRole, s.request.Beside)
}

// beside prefers the nodes of pods with that role, and a node by its name, "" for none.
func beside(role, node string) *corev1.Affinity {
	a := &corev1.Affinity{PodAffinity: &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
		Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{roleLabel: role}}, TopologyKey: corev1.LabelHostname,
		},
	}}}}
	if node != "" {
		a.NodeAffinity = &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100, Preference: oneNode(node),
		}}}
	}
	return a
}
