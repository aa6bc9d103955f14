// Package cni tells from a cluster's objects which network plugin carries the packets of a pod, and in which mode.
package cni

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Objects are what is known of a cluster. A plugin's settings are in its own pods and
// ConfigMaps; what could not be read is left out and named in Unread.
type Objects struct {
	Node *corev1.Node
	// Pod is the server's.
	Pod *corev1.Pod
	// Agents are the pods of the node.
	Agents []corev1.Pod
	// Configs are ConfigMaps by namespace/name, with their data.
	Configs map[string]map[string]string
	// Pools are Calico's IP pools.
	Pools []Pool
	// Unread says why ConfigMaps or pools are missing; "" when nothing is.
	Unread string
}

// Pool is an IPPool of Calico (https://docs.tigera.io/calico/latest/reference/resources/ippool).
type Pool struct {
	CIDR      string `json:"cidr"`
	IPIPMode  string `json:"ipipMode"`
	VXLANMode string `json:"vxlanMode"`
	Disabled  bool   `json:"disabled"`
}

// network is what one plugin's objects say; "" is not known.
type network struct {
	plugin, between string
	mtu             string // as set, "auto" where the plugin finds it
	encryption      string
	proxy           string // what replaces kube-proxy
	link            string // the setting that chooses the node's interface
	source          string
}

// detectors are asked in this order: a plugin that only enforces policies, such as Calico
// on EKS or in Canal, is found after the one that carries the packets.
func detectors() []func(Objects) (network, bool) {
	return []func(Objects) (network, bool){aws, azure, gke, cilium, ovn, flannel, calico, weave, kubeRouter, antrea, kindnet}
}

// Facts are the plugin, its mode, and what else its objects tell. A plugin that is not
// known is unknown.
func Facts(o Objects) []record.Fact {
	if o.Node == nil {
		return []record.Fact{{Key: keys.NetworkPlugin, Unknown: record.NodeUnread.Say()}}
	}
	var facts []record.Fact
	n, ok := detect(o)
	if !ok {
		facts = append(facts, record.Fact{Key: keys.NetworkPlugin, Source: "annotations and pods of node " + o.Node.Name, Unknown: record.NoKnownPlugin.Say()})
	}
	if ok && n.between == "" {
		facts = append(facts, record.Fact{Key: keys.NetworkBetween, Source: n.source, Unknown: record.NoPluginMode.Say()})
	}
	for _, f := range []struct{ key, value string }{
		{keys.NetworkPlugin, n.plugin}, {keys.NetworkBetween, n.between}, {keys.NetworkPluginMTU, n.mtu},
		{keys.NetworkEncryption, n.encryption}, {keys.NetworkPluginInterface, n.link},
	} {
		if f.value != "" {
			facts = append(facts, record.Fact{Key: f.key, Value: f.value, Source: n.source})
		}
	}
	facts = append(facts, serviceProxy(o, n))
	facts = append(facts, attachments(o)...)
	if o.Unread != "" {
		facts = append(facts, record.Fact{Key: keys.NetworkPluginSettings, Unknown: o.Unread})
	}
	return facts
}

func detect(o Objects) (network, bool) {
	for _, d := range detectors() {
		if n, ok := d(o); ok {
			return n, true
		}
	}
	return network{}, false
}

// agent is the container of that name in a pod of the node.
func (o Objects) agent(name string) (corev1.Container, bool) {
	for _, p := range o.Agents {
		for _, c := range p.Spec.Containers {
			if c.Name == name {
				return c, true
			}
		}
	}
	return corev1.Container{}, false
}

// config is the first ConfigMap that is there.
func (o Objects) config(names ...string) map[string]string {
	for _, name := range names {
		if c, ok := o.Configs[name]; ok {
			return c
		}
	}
	return nil
}

func (o Objects) annotated(keys ...string) (value string, ok bool) {
	for _, key := range keys {
		if v, ok := o.Node.Annotations[key]; ok {
			return v, true
		}
	}
	return "", false
}

func env(c corev1.Container, name string) string {
	for _, e := range c.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}

// option is the value of --name=value or --name value in a container's command line, and
// "true" for --name alone.
func option(c corev1.Container, name string) string {
	words := slices.Concat(c.Command, c.Args)
	for i, w := range words {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(w, "-"), "-"+name)
		switch value, given := strings.CutPrefix(rest, "="); {
		case !ok:
		case given:
			return value
		case rest == "" && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-"):
			return words[i+1]
		case rest == "":
			return "true"
		}
	}
	return ""
}

// serviceProxy is what translates the addresses of Services on the node.
func serviceProxy(o Objects, n network) record.Fact {
	f := record.Fact{Key: keys.NetworkServiceProxy, Source: "pods of node " + o.Node.Name}
	_, runs := o.agent("kube-proxy")
	switch {
	case runs && n.proxy != "":
		f.Value = n.proxy + "; kube-proxy runs as well"
	case n.proxy != "":
		f.Value = n.proxy
	case runs:
		f.Value, f.Source = "kube-proxy"+proxyMode(o), "ConfigMap kube-system/kube-proxy"
	default:
		f.Unknown = record.NoServiceProxy.Say()
	}
	return f
}

// proxyMode is from the configuration that kubeadm writes; an empty mode is iptables on Linux
// (https://kubernetes.io/docs/reference/networking/virtual-ips/).
func proxyMode(o Objects) string {
	config, ok := o.Configs["kube-system/kube-proxy"]
	if !ok {
		return ""
	}
	for line := range strings.Lines(config["config.conf"]) {
		if mode, ok := strings.CutPrefix(line, "mode:"); ok {
			return ", " + cmp.Or(strings.Trim(strings.TrimSpace(mode), `"'`), "iptables")
		}
	}
	return ", iptables"
}
