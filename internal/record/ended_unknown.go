package record

// Why a fact is unknown, or a probe did not read.
const (
	CgroupGone      Sentence = "this kernel has no such file, or the cgroup is gone"
	NoKernelFile    Sentence = "this kernel has no such file"
	ProcessGone     Sentence = "the process has ended, or this kernel does not have the file"
	NoKernelLine    Sentence = "this kernel's file has no line {name}"
	NoCgroupFile    Sentence = "the file does not exist there: the root cgroup has no bounds, or the controller is not in this hierarchy"
	NoHierarchy     Sentence = "the hierarchy is not mounted"
	ForeignHost     Sentence = "external server: tare has no access to its host"
	CgroupShared    Sentence = "the cgroup holds other processes than the server; what they use together is not recorded"
	NoTablespaces   Sentence = "no tablespace of InnoDB is named after the schema"
	ServerElsewhere Sentence = "the server runs elsewhere, or its process cannot be read; on the server's machine, run tare as root or as the server's user, or add --pid N"
	// ServerUnseen is of a run, which has no --pid.
	ServerUnseen Sentence = "the server runs on another machine, or its process is not known"
	ServerOnNode Sentence = "the server is on node {node}; with probeNamespace a pod reads there (docs/kubernetes.md)"
	// ServerOnNodeLive is of a server that is watched, and ServerOnNodeUnread of one whose counters the kubelet does not give either.
	ServerOnNodeLive   Sentence = "the server is on node {node}; --probe-namespace lets a pod read there (docs/live.md)"
	ServerOnNodeUnread Sentence = "the server is on node {node}; --probe-namespace lets a pod read there (docs/live.md); {why}"
	ReadingMissed      Sentence = "the last reading of the probes on the server's node is missing: {text}"
	KubeletForbidden   Sentence = "these credentials may not get nodes/proxy; the capability kubelet of docs/kubernetes-rbac.yaml grants it"
	KubeletNotYet      Sentence = "the kubelet has not looked at the container yet"
	AskKubelet         Sentence = "ask kubelet of {node}: {text}"
	LargerLost         Sentence = "not measured: {fact} had no answer within {time}"
	NotGiven           Sentence = "not given"
	OperatorsPods      Sentence = "tare runs nothing in the pods of an operator"
	ManifestsPods      Sentence = "tare runs nothing in the pods of manifests"
	NoLinks            Sentence = "the server's pod has not printed its links"
	NodeUnread         Sentence = "the node could not be read"
	NoKnownPlugin      Sentence = "no plugin that tare knows runs there; its configuration is in /etc/cni/net.d of the node"
	NoPluginMode       Sentence = "the plugin's objects do not have its mode"
	NoServiceProxy     Sentence = "no kube-proxy runs on the node as a pod, and its network plugin does not say that it replaces it"
)

func ofUnknowns() []Coded {
	return []Coded{
		{"cgroup-gone", CgroupGone}, {"no-kernel-file", NoKernelFile}, {"process-gone", ProcessGone}, {"no-kernel-line", NoKernelLine},
		{"no-cgroup-file", NoCgroupFile}, {"no-hierarchy", NoHierarchy}, {"foreign-host", ForeignHost}, {"cgroup-shared", CgroupShared}, {"no-tablespaces", NoTablespaces}, {"server-elsewhere", ServerElsewhere}, {"server-unseen", ServerUnseen},
		{"server-on-node", ServerOnNode}, {"server-on-node-live", ServerOnNodeLive}, {"server-on-node-unread", ServerOnNodeUnread}, {"reading-missed", ReadingMissed},
		{"kubelet-forbidden", KubeletForbidden}, {"kubelet-not-yet", KubeletNotYet}, {"ask-kubelet", AskKubelet},
		{"larger-lost", LargerLost}, {"not-given", NotGiven}, {"operators-pods", OperatorsPods}, {"manifests-pods", ManifestsPods},
		{"no-links", NoLinks}, {"node-unread", NodeUnread}, {"no-known-plugin", NoKnownPlugin}, {"no-plugin-mode", NoPluginMode}, {"no-service-proxy", NoServiceProxy},
	}
}
