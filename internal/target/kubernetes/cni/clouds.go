package cni

import (
	"cmp"
	"strings"
)

// aws is the Amazon VPC CNI: pods have addresses of the VPC (aws/amazon-vpc-cni-k8s, README.md).
func aws(o Objects) (network, bool) {
	c, ok := o.agent("aws-node")
	if !ok {
		return network{}, false
	}
	n := network{plugin: "aws-vpc-cni", between: cloudAddresses, mtu: cmp.Or(env(c, "AWS_VPC_ENI_MTU"), "9001"), source: "pods of node " + o.Node.Name}
	if config := o.config("kube-system/cilium-config"); config["cni-chaining-mode"] == "aws-cni" {
		n.plugin += ", chained with cilium"
		n.proxy, n.encryption = ciliumProxy(config), ciliumEncryption(config)
	}
	return n, true
}

// azure says on its nodes whether pods have addresses of the virtual network
// (kubernetes.azure.com/podnetwork-type: overlay, vnet, vnetblock) and which data plane they have.
// Overlay is routed by Azure, not by a tunnel of the nodes
// (https://learn.microsoft.com/azure/aks/azure-cni-overlay).
func azure(o Objects) (network, bool) {
	kind, labelled := o.Node.Labels["kubernetes.azure.com/podnetwork-type"]
	_, runs := o.agent("azure-cns")
	if _, own := o.agent("cns-container"); own {
		runs = true
	}
	if !labelled && !runs {
		return network{}, false
	}
	n := network{plugin: "azure-cni", source: "labels of node " + o.Node.Name}
	switch {
	case kind == "overlay":
		n.between = "overlay by Azure's routing, no encapsulation by the nodes"
	case kind != "":
		n.between = cloudAddresses
	}
	if o.Node.Labels["kubernetes.azure.com/ebpf-dataplane"] == "cilium" {
		n.plugin, n.proxy = "azure-cni, data plane cilium", "Cilium (eBPF)"
	}
	return n, true
}

// gke is Google's: pods have alias addresses of the VPC, or their node's route
// (https://cloud.google.com/kubernetes-engine/docs/concepts/alias-ips). Dataplane V2 is
// Cilium, in pods called anetd.
func gke(o Objects) (network, bool) {
	_, pool := o.Node.Labels["cloud.google.com/gke-nodepool"]
	if !pool && !strings.HasPrefix(o.Node.Spec.ProviderID, "gce://") {
		return network{}, false
	}
	if !pool {
		return network{}, false // machines of Google's with another plugin
	}
	n := network{plugin: "gke", between: cloudAddresses, source: "labels and pods of node " + o.Node.Name}
	for _, p := range o.Agents {
		if strings.HasPrefix(p.Name, "anetd-") {
			n.plugin, n.proxy = "gke, Dataplane V2", "Cilium (eBPF)"
		}
	}
	return n, true
}
