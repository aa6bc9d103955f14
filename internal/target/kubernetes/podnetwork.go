package kubernetes

// What can be known of a cluster's network from outside its nodes: what the plugins
// write on nodes, and what the pod sees of its own link.

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target/kubernetes/cni"
)

// pluginConfigs are the ConfigMaps in which plugins have their settings.
func pluginConfigs() []string {
	return []string{
		"kube-system/kube-proxy", "kube-system/cilium-config", "cilium/cilium-config", "kube-system/calico-config", "kube-system/canal-config",
		"kube-flannel/kube-flannel-cfg", "kube-system/kube-flannel-cfg",
	}
}

// ipPools are Calico's. The group is that of Kubernetes' datastore; Calico's own API server
// has the same objects in projectcalico.org.
var ipPools = schema.GroupVersionResource{Group: "crd.projectcalico.org", Version: "v1", Resource: "ippools"}

// pluginFacts are the network plugin of the server's node, its mode and its settings.
func (s *server) pluginFacts(ctx context.Context, n *corev1.Node) []record.Fact {
	o := cni.Objects{Node: n, Configs: map[string]map[string]string{}}
	c := s.target.cluster
	var unread error
	o.Pod, unread = get[corev1.Pod](ctx, c, pods, s.podName())
	var err error
	o.Agents, err = list[corev1.Pod](ctx, c.dynamic.Resource(pods), "pods of node "+n.Name, metav1.ListOptions{FieldSelector: "spec.nodeName=" + n.Name})
	unread = errors.Join(unread, err)
	for _, name := range pluginConfigs() {
		namespace, own, _ := strings.Cut(name, "/")
		u, err := c.dynamic.Resource(configMaps).Namespace(namespace).Get(ctx, own, metav1.GetOptions{})
		if err != nil {
			if !apierrors.IsNotFound(err) {
				unread = errors.Join(unread, err)
			}
			continue
		}
		if m, err := typed[corev1.ConfigMap](u.Object); err == nil {
			o.Configs[name] = m.Data
		}
	}
	pools, err := list[struct{ Spec cni.Pool }](ctx, c.dynamic.Resource(ipPools), "IP pools", metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		unread = errors.Join(unread, err)
	}
	for _, p := range pools {
		o.Pools = append(o.Pools, p.Spec)
	}
	if unread != nil {
		why, _, _ := strings.Cut(unread.Error(), "\n")
		o.Unread = record.NoNetworkRight.Say(why)
	}
	return cni.Facts(o)
}

// linkFacts are what start.sh printed of the pod's links and routes.
func (s *server) linkFacts(ctx context.Context) []record.Fact {
	switch set := s.target.settings; {
	case set.isOperator():
		return []record.Fact{{Key: keys.NetworkMTU, Unknown: record.OperatorsPods.Say()}}
	case set.isOwn():
		return []record.Fact{{Key: keys.NetworkMTU, Unknown: record.ManifestsPods.Say()}}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	log, err := s.target.cluster.logs(ctx, s.podName(), s.container, false)
	if err != nil {
		return []record.Fact{{Key: keys.NetworkMTU, Unknown: err.Error()}}
	}
	defer log.Close()
	return readLinks(log, s.pod.Spec.HostNetwork)
}

// readLinks reads the lines "tare: link NAME mtu N" and "tare: route ..." of a log;
// the latter are those of /proc/net/route, addresses in the machine's byte order. Of a node's links, those with a route
// to a network are read: each of its pods has one more, with a name of its own.
func readLinks(log io.Reader, ofNode bool) []record.Fact {
	var facts []record.Fact
	mode, routed := "", map[string]bool{}
	for lines := bufio.NewScanner(log); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 5 && words[1] == "link" && words[0] == "tare:" && words[2] != "lo":
			facts = append(facts, record.Fact{Key: keys.NetworkMTUPrefix + words[2], Value: words[4], Source: "/sys/class/net of the server's pod"})
		case len(words) <= 9 || words[1] != "route" || words[0] != "tare:" || words[2] == "Iface" || words[9] == "FFFFFFFF":
		default:
			routed[keys.NetworkMTUPrefix+words[2]] = true
			if words[3] == "00000000" || ofNode {
				continue
			}
			mode = "routed: other pods of the node are reached through its gateway, as the plugin ptp has it"
			if words[4] == "00000000" {
				mode = "bridged: other pods of the node are on the same link, as the plugin bridge has it"
			}
		}
	}
	if ofNode {
		facts = slices.DeleteFunc(facts, func(f record.Fact) bool { return !routed[f.Key] })
	}
	if len(facts) == 0 {
		return []record.Fact{{Key: keys.NetworkMTU, Unknown: record.NoLinks.Say()}}
	}
	if mode != "" {
		facts = append(facts, record.Fact{Key: keys.NetworkLink, Value: mode, Source: "/proc/net/route of the server's pod"})
	}
	return facts
}
