package kubernetes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// Settings are an arm's own: the cluster, the pod's shape, its volume, its place
// and the address that the load uses. What the container target has as well is
// called the same and means the same.
type Settings struct {
	// Kubeconfig and Context say which cluster; without them what kubectl would
	// take, or the pod's own account inside a cluster.
	Kubeconfig string `yaml:"kubeconfig"`
	Context    string `yaml:"context"`
	// Namespace has to be there; without one it is the context's, or "tare".
	Namespace string `yaml:"namespace"`
	// Image has mysqld on its PATH, and a shell.
	Image string `yaml:"image"`

	QoS           node.QoS   `yaml:"qos"`
	CPU           node.CPU   `yaml:"cpu"`
	Memory        node.Bytes `yaml:"memory"`
	CPURequest    node.CPU   `yaml:"cpuRequest"`
	MemoryRequest node.Bytes `yaml:"memoryRequest"`
	Seccomp       string     `yaml:"seccomp"`
	// HugePages are explicit ones of 2 MiB for the server's container, which request
	// and limit; the server uses them with large_pages.
	HugePages node.Bytes `yaml:"hugepages-2Mi"`

	// Volume is "claim" (a PersistentVolumeClaim of StorageClass, with VolumeSize);
	// "hostPath", a directory below /var/lib/tare of the node; "emptyDir" on the node's
	// disk; or "tmpfs", an emptyDir of medium Memory. The last two are gone with the pod.
	Volume       string     `yaml:"volume"`
	StorageClass string     `yaml:"storageClass"`
	VolumeSize   node.Bytes `yaml:"volumeSize"`

	// Node is the name of the node that the pod is to run on.
	Node string `yaml:"node"`
	// NodeSelector are labels of the nodes that the pod may run on: a zone, a node pool.
	NodeSelector  map[string]string `yaml:"nodeSelector"`
	PriorityClass string            `yaml:"priorityClass"`
	// Tolerate lets the pod run on nodes with any taint.
	Tolerate bool `yaml:"tolerate"`

	// Bare runs the server as a process of Node, in no pod. It takes a privileged
	// pod to get there, and the user's leave.
	Bare bool `yaml:"bare"`
	// HostNetwork gives the pod its node's network.
	HostNetwork bool `yaml:"hostNetwork"`
	// Interface is a further interface of the pods, which Multus makes on the network of the
	// NetworkAttachmentDefinition Attachment, NAME or NAMESPACE/NAME; the load uses it.
	// AttachmentResource is the device plugin's resource that it takes, for SR-IOV.
	Interface          string `yaml:"interface"`
	Attachment         string `yaml:"attachment"`
	AttachmentResource string `yaml:"attachmentResource"`
	// Address is what the load connects to: the pod's, its Service's, its node's, through
	// a NodePort, or a load balancer's. It must be reachable from where the load runs.
	Address string `yaml:"address"`

	// Clients is how many pods the load comes from, on the node ClientNode or any;
	// 0 is the machine that tare runs on.
	// ClientCPURequest is what each of them requests. Without one it is BestEffort, and
	// beside a busy server, whose weight is hundreds of times its own, it waits for a CPU.
	// Client puts the load into the server's pod: "socket" or, over TCP, "same-pod".
	Client     string `yaml:"client"`
	Clients    int    `yaml:"clients"`
	ClientNode string `yaml:"clientNode"`
	// ClientImage has tare as its entry point. Without one, the pods of tare start from
	// BaseImage, which has a shell, or the server's image, and tare's program is streamed into
	// them. Programs are files with tare's program for the architectures of the nodes.
	ClientImage string   `yaml:"clientImage"`
	BaseImage   string   `yaml:"baseImage"`
	Programs    []string `yaml:"programs"`

	ClientCPURequest node.CPU `yaml:"clientCPURequest"`

	// Neighbour is a pod on the server's node that uses up what it has.
	Neighbour *node.Neighbour `yaml:"neighbour"`

	// ProbeNamespace admits pods that see their node: one there, beside the server,
	// reads what the kernel counts of it. Without one that stays unknown.
	ProbeNamespace string `yaml:"probeNamespace"`

	// Operator is the name of a shipped descriptor, or a file with one (internal/operator):
	// its resource is made in place of a pod, and the database lives for the whole run.
	// Resource is a file with the user's own resource, which the settings are laid over.
	// Members are the servers, Via the way that clients take (server, proxy), Variant the
	// form of the resource where the operator has several.
	Operator string `yaml:"operator"`
	Resource string `yaml:"resource"`
	Variant  string `yaml:"variant"`
	Members  int    `yaml:"members"`
	Via      string `yaml:"via"`

	// Manifests are the user's own, in place of what tare would make: files, and
	// folders with a kustomization or with files. Patches are laid over them.
	Manifests []string `yaml:"manifests"`
	Patches   []Patch  `yaml:"patches"`
	Server    Login    `yaml:"server"`

	// Events happen to the server while it is loaded, where tare makes it.
	Events []event.Event `yaml:"events"`

	// Replication is refused: the members of a database in a cluster are an operator's.
	Replication *replication.Settings `yaml:"replication"`
}

// The words of volume and address.
const (
	claimVolume    = "claim"
	hostPathVolume = "hostPath"
	emptyDirVolume = "emptyDir"
	tmpfsVolume    = "tmpfs" // as the target container calls it
	podAddress     = "pod"
	serviceAddress = "service"
	nodeAddress    = "node"
	// loadBalancerAddress is what a cluster's load balancer gives the Service.
	loadBalancerAddress = "loadbalancer"
)

// contradictions are what no cluster could satisfy.
func (s Settings) contradictions() []error {
	errs := append(s.nameContradictions(), s.eventContradictions()...)
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	switch {
	case s.isOperator():
		return slices.Concat(errs, s.operatorContradictions(), s.loadContradictions())
	case s.isOwn():
		return slices.Concat(errs, s.ownContradictions(), s.operatorOnly(), s.loadContradictions())
	}
	errs = append(errs, s.operatorOnly()...)
	errs = append(errs, s.foreignContradictions()...)
	if s.Image == "" {
		wrong("image", "the image is missing; write image: mysql:8.4, which the cluster pulls, or manifests: DIRECTORY for a server of your own")
	}
	errs = append(errs, selectorContradictions(s.NodeSelector)...)
	errs = append(errs, s.resourceContradictions()...)
	errs = append(errs, s.hugePagesContradictions()...)
	errs = append(errs, s.bareContradictions()...)
	errs = append(errs, s.interfaceContradictions()...)
	switch s.Volume {
	case "", claimVolume:
	case hostPathVolume:
		if s.StorageClass != "" || s.VolumeSize != 0 {
			wrong("volume", "a hostPath has no storage class and no size; leave storageClass and volumeSize out, or write volume: claim")
		}
		if s.Node == "" {
			wrong("node", "the data of a hostPath are on one node only; write node: NAME")
		}
	case emptyDirVolume, tmpfsVolume:
		if s.StorageClass != "" {
			wrong("storageClass", "%s is on the node and has no storage class; leave storageClass out, or write volume: claim", s.Volume)
		}
		if s.Volume == tmpfsVolume && s.Memory != 0 && s.VolumeSize > s.Memory {
			wrong("volumeSize", "files in a tmpfs count as the pod's memory, and %v is more than memory: %v", s.VolumeSize, s.Memory)
		}
	default:
		wrong("volume", "%.40q is not a volume; use claim, hostPath, emptyDir or tmpfs", s.Volume)
	}
	if s.Seccomp != "" && s.Seccomp != "RuntimeDefault" && s.Seccomp != "Unconfined" {
		wrong("seccomp", "%.40q is not a profile; write RuntimeDefault or Unconfined", s.Seccomp)
	}
	return append(errs, s.loadContradictions()...)
}

// loadContradictions are those of where the load comes from and goes to.
func (s Settings) loadContradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	if s.Replication != nil {
		wrong("replication", "tare's own pod is one server; write operator: NAME with members: 3, or target: process")
	}
	switch s.Address {
	case "", podAddress, serviceAddress, nodeAddress, loadBalancerAddress:
	default:
		wrong("address", "%.40q is not an address; write pod, service, node (a NodePort) or loadbalancer", s.Address)
	}
	switch {
	case s.Clients < 0:
		wrong("clients", "%d is not a number of pods", s.Clients)
	case s.Clients == 0 && (s.ClientNode != "" || s.ClientImage != "" && !s.runsTare()):
		wrong("clients", "clientNode and clientImage are for load from pods; write clients: 1, or leave them out")
	}
	errs = append(errs, s.programContradictions()...)
	switch {
	case s.ClientCPURequest < 0 || s.ClientCPURequest == node.MaxCPU:
		wrong("clientCPURequest", "expected an amount, such as 500m")
	case s.ClientCPURequest != 0 && s.Clients <= 0:
		wrong("clientCPURequest", "it requires load from pods; write clients: 1, or leave it out")
	}
	errs = append(errs, s.insideContradictions()...)
	if s.Neighbour != nil {
		for _, err := range s.Neighbour.Check(boundless) {
			errs = append(errs, target.FieldError{Field: "neighbour", Err: err})
		}
	}
	return errs
}

func (s Settings) asked() bool {
	return s.CPU != 0 || s.Memory != 0 || s.CPURequest != 0 || s.MemoryRequest != 0
}

// withoutRequests names the requests of the settings, and how an arm is without one that it inherits.
func (s Settings) withoutRequests() string {
	var names, nulls []string
	for _, r := range []struct {
		name string
		set  bool
	}{{"cpuRequest", s.CPURequest != 0}, {"memoryRequest", s.MemoryRequest != 0}} {
		if r.set {
			names, nulls = append(names, r.name), append(nulls, r.name+": null")
		}
	}
	return strings.Join(names, " and ") + ", or write " + strings.Join(nulls, ", ") + " in an arm or a layer that inherits it"
}

func (s Settings) resourceContradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	switch {
	case s.QoS == node.BestEffort && s.asked():
		wrong("qos", "a BestEffort pod has no requests and no limits; leave cpu, memory, cpuRequest and memoryRequest out, or write qos: Burstable")
	case s.QoS == node.Burstable && !s.asked():
		wrong("qos", "a Burstable pod requests something; write cpuRequest or memoryRequest")
	case s.QoS == node.Guaranteed && (s.CPURequest != 0 || s.MemoryRequest != 0):
		wrong("qos", "a Guaranteed pod requests its limits; leave out %s", s.withoutRequests())
	case s.QoS == node.Guaranteed && s.Memory == 0:
		wrong("memory", "a Guaranteed pod has a memory limit; write memory: 4Gi")
	}
	if s.CPU == node.MaxCPU && s.CPURequest != 0 {
		wrong("cpuRequest", "cpu: max is the most that can be requested; leave cpuRequest out")
	}
	if s.CPU != 0 && s.CPURequest > s.CPU {
		wrong("cpuRequest", "%v is more than the limit cpu: %v", s.CPURequest, s.CPU)
	}
	if s.Memory != 0 && s.MemoryRequest > s.Memory {
		wrong("memoryRequest", "%v is more than the limit memory: %v", s.MemoryRequest, s.Memory)
	}
	if errs == nil && s.QoS != "" {
		if s.QoS == node.Guaranteed && s.CPU == 0 {
			s.CPU = node.MaxCPU
		}
		if got := node.Class(s.requirements(s.CPU)); got != s.QoS {
			wrong("qos", "these requests and limits make the pod %s; write qos: %s, or change them", got, got)
		}
	}
	return errs
}

// defaulted fills in what was left out.
func (s Settings) defaulted() Settings {
	if s.isOperator() {
		s.Address = cmp.Or(s.Address, serviceAddress)
		return s
	}
	if s.isOwn() {
		s.Server = s.Server.defaulted()
		if s.Address == "" {
			s.Address = serviceAddress
		}
		return s
	}
	if s.Bare {
		s.Volume = hostPathVolume
	}
	if s.Volume == "" {
		s.Volume = claimVolume
	}
	if s.Volume == claimVolume && s.VolumeSize == 0 {
		s.VolumeSize = 10 << 30
	}
	switch {
	case s.Address == "" && s.deletes(): // the next pod has another address
		s.Address = serviceAddress
	case s.Address == "":
		s.Address = podAddress
	}
	if s.QoS == node.Guaranteed && s.CPU == 0 {
		s.CPU = node.MaxCPU
	}
	return s
}

// requirements are the pod's once it is known how much CPU "max" is.
func (s Settings) requirements(most node.CPU) node.Requirements {
	return node.Requirements{
		Request: node.Resources{CPU: s.CPURequest, Memory: s.MemoryRequest},
		Limit:   node.Resources{CPU: s.CPU.Resolve(most), Memory: s.Memory},
	}.Defaulted()
}

// generators are how many the load has; 0: it comes from this host.
func (s Settings) generators() int {
	if s.Client != "" {
		return 1
	}
	return s.Clients
}

// Generators are the containers of the load; 0: it comes from this host.
func (k *Kubernetes) Generators() int { return k.settings.generators() }

// MemoryLimit is in bytes, huge pages included, which are the server's beside it; 0
// means none. What a LimitRange gives the pod is one, once Check has seen it.
func (k *Kubernetes) MemoryLimit() int64 {
	if k.settings.Memory == 0 {
		return k.givenMemory
	}
	return int64(k.settings.Memory + k.settings.HugePages)
}
