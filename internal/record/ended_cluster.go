package record

// Why a pod was not started.
const (
	StartPod         Sentence = "start pod: {why}"
	PodStuck         Sentence = "pod {pod} does not start: {why}"
	ContainerWaits   Sentence = "{reason}: {text} (image {image})"
	ContainerFailed  Sentence = "container {container} ended with status {status}: {text}"
	PodRefused       Sentence = "the pod is refused: {why}"
	UnscheduledNodes Sentence = "pod {pod} was not scheduled within {time}: {why}; requested: {cpu} CPU and {memory} memory; {nodes}"
	Unscheduled      Sentence = "pod {pod} was not scheduled within {time}: {why}"
	PodLate          Sentence = "pod {pod} did not start within {time}: {why}"
	NoWarnings       Sentence = "it has no warning events"
	EventsUnread     Sentence = "its events cannot be read: {text}"
	WarningsUnread   Sentence = "events cannot be read: {text}"
	CopyInPod        Sentence = "copy the data: not done within {time}; use a volume that is faster, or less data"
	ForwardPort      Sentence = "forward port {n} of pod {pod}: {why}"
	NoAnswerWithin   Sentence = "no answer within {time}"
	NeighbourNode    Sentence = "it was not scheduled to node {node} within a minute: {why}"
)

// What is free on a node.
const (
	NoFreeNode  Sentence = "compute cpu: max: no node has free resources; {nodes}"
	NoSuchNode  Sentence = "there is no such node"
	NodeFree    Sentence = "allocatable {cpu} CPU and {memory} memory, requested by pods {taken} CPU and {used} memory, largest pod that fits {most} CPU and {largest} memory"
	Cordoned    Sentence = "it is cordoned; kubectl uncordon {node}"
	Tainted     Sentence = "it has the taint {taint}; write tolerate: true, or use another node"
	NodeUnready Sentence = "it is not ready: {text}"
	// OfNode is not in the list of sentences: what it says has to be one, or any text would be it.
	OfNode Sentence = "{node}: {why}"
)

// What is wrong with an arm's objects, or with an operator's database.
const (
	ApplyObject    Sentence = "apply {kind} {name} in namespace {namespace}: {why}"
	GetObject      Sentence = "get {kind} {name}: {why}"
	LookAtObject   Sentence = "look at {kind} {name}: {why}"
	NoNamespace    Sentence = "{first}; if there is no namespace {namespace}, create it with kubectl create namespace {namespace}, or name another under namespace"
	NoPermission   Sentence = "{first}; docs/kubernetes-rbac.yaml has the permissions that tare needs"
	NoNetworkRight Sentence = "{first}; the capability network of docs/kubernetes-rbac.yaml has the permissions"
	NoCredentials  Sentence = "{first}; the credentials of the kubeconfig are not valid any more"
	NoKind         Sentence = "{kind} {name}: the cluster has no kind {type} in {group}; install its operator"
	ForeignObject  Sentence = "there is a {kind} {name} in namespace {namespace} that tare did not make; give the arm another namespace"
	OtherRun       Sentence = "{kind} {name} in namespace {namespace} is of another run; `tare clean --namespace {namespace}` removes what a killed one left"
	OperatorFailed Sentence = "{kind} {name}: {operator} has said for {time} that it failed: {why}"
	OperatorLate   Sentence = "{kind} {name} is not ready within {time}: {why}; the namespace's warnings are: {warnings}"
	StatusEmpty    Sentence = "its status is empty"
	StatusUnset    Sentence = "its status is empty; check that the operator runs and watches namespace {namespace}"
	FindServer     Sentence = "find the server: {why}"
	NoPodBehind    Sentence = "no pod is behind Service {service} within {time}; it selects {labels}, and the namespace's warnings are: {warnings}"
	NoPodReady     Sentence = "none of {n} pods that {selector} selects is ready with the labels {labels} within {time}"
	NoBalancer     Sentence = "no load balancer has given Service {service} an address within {time}; if the cluster has none, write address: node"
	ReadPassword   Sentence = "read the server's password: {why}"
	NoSecret       Sentence = "{operator} has made no Secret {secret}: {why}"
	OwnSecret      Sentence = "{first}; with a resource of your own, its Secret must have the name {secret}"
	// The setting is an argument: its braces are not those of an argument.
	NoKeySet Sentence = "Secret {secret} has no key {key}; write {setting}"
	NoKey    Sentence = "Secret {secret} has no key {key}"
)

// WithAdvice is what Kubernetes says, and what to do about it.
const WithAdvice Sentence = "{first}; next: {next}"

// What to do about a refusal by Kubernetes.
const (
	AdviseQuota         Sentence = "reduce cpu and memory, or have the namespace's ResourceQuota raised: kubectl describe resourcequota"
	AdviseQuotaPods     Sentence = "have fewer pods at once (fewer arms, load pods or neighbours, or protocol.kind: windows), or have the ResourceQuota's number of pods raised: kubectl describe resourcequota"
	AdviseQuotaVolumes  Sentence = "reduce volumeSize, write volume: emptyDir, or have the ResourceQuota's volumes raised: kubectl describe resourcequota"
	AdviseLimitBelow    Sentence = "raise the limit (cpu, memory) to the request or lower the request: a LimitRange sets the limit of a container that has none, kubectl describe limitrange"
	AdviseMinRange      Sentence = "raise the requests: the namespace has a LimitRange, kubectl describe limitrange"
	AdviseRatioRange    Sentence = "raise the requests towards the limits: the namespace has a LimitRange, kubectl describe limitrange"
	AdviseRequests      Sentence = "the namespace's ResourceQuota requires requests and limits: write qos: Guaranteed with cpu and memory, and volumeSize"
	AdviseLoadRequests  Sentence = "the namespace's ResourceQuota requires limits, which would throttle the pods of the load, so they have none: leave clients (or load.from) out, so that the load comes from this machine"
	AdviseSecurity      Sentence = "the namespace's Pod Security level forbids this pod: write seccomp: RuntimeDefault for restricted, volume: claim without hostPath and hostNetwork for baseline; bare: true and volume: hostPath need kubectl label namespace NAME pod-security.kubernetes.io/enforce=privileged"
	AdviseLimitRange    Sentence = "reduce the requests: the namespace has a LimitRange, kubectl describe limitrange"
	AdviseUnboundClaim  Sentence = "no volume was made for the claim: write storageClass: one of kubectl get storageclass, a smaller volumeSize, or volume: hostPath"
	AdviseNoVolume      Sentence = "no volume is free for the claim there: write another storageClass, a smaller volumeSize, another node, or volume: hostPath"
	AdviseStorageClass  Sentence = "write storageClass: one of kubectl get storageclass"
	AdviseHugePages     Sentence = "reserve huge pages on the node (vm.nr_hugepages) and restart its kubelet, or request fewer"
	AdviseResources     Sentence = "reduce the requests, or use a node with more free resources"
	AdviseMemory        Sentence = "raise the server's memory limit (memory of the arm), or lower innodb_buffer_pool_size"
	AdviseProbe         Sentence = "correct the probe's command, raise its timeoutSeconds or failureThreshold, or add a startupProbe: rule K-OPS-04"
	AdviseTaint         Sentence = "write tolerate: true, or another node"
	AdviseNode          Sentence = "write another node: one of kubectl get nodes -L kubernetes.io/hostname, which only those who may list nodes can run: otherwise ask an administrator of the cluster"
	AdviseShell         Sentence = "tare's program is streamed into a pod whose image has a shell: write baseImage: an image with sh, or clientImage: one with tare"
	AdviseLoadImage     Sentence = "load the image into the node, or let it be pulled"
	AdviseImage         Sentence = "check the image's name and tag, and that the nodes reach its registry; a private registry requires an imagePullSecret in the namespace's default ServiceAccount"
	AdviseImageName     Sentence = "write image: as REGISTRY/NAME:TAG"
	AdvisePriorityClass Sentence = "write priorityClass: one of kubectl get priorityclass"
)

func ofClusters() []Coded {
	return []Coded{
		{"node-free", NodeFree},
		{"start-pod", StartPod}, {"pod-stuck", PodStuck}, {"container-failed", ContainerFailed}, {"pod-refused", PodRefused},
		{"unscheduled-nodes", UnscheduledNodes}, {"unscheduled", Unscheduled}, {"pod-late", PodLate},
		{"no-warnings", NoWarnings}, {"events-unread", EventsUnread}, {"warnings-unread", WarningsUnread},
		{"copy-in-pod", CopyInPod}, {"forward-port", ForwardPort}, {"no-answer-within", NoAnswerWithin}, {"neighbour-node", NeighbourNode},
		{"no-free-node", NoFreeNode}, {"no-such-node", NoSuchNode}, {"cordoned", Cordoned}, {"tainted", Tainted}, {"node-unready", NodeUnready},
		{"apply-object", ApplyObject}, {"get-object", GetObject}, {"look-at-object", LookAtObject}, {"foreign-object", ForeignObject},
		{"status-unset", StatusUnset}, {"status-empty", StatusEmpty}, {"find-server", FindServer}, {"no-pod-behind", NoPodBehind}, {"no-pod-ready", NoPodReady}, {"no-balancer", NoBalancer},
		{"read-password", ReadPassword}, {"no-key-set", NoKeySet}, {"no-key", NoKey},
		{"advise-quota", AdviseQuota}, {"advise-requests", AdviseRequests}, {"advise-quota-pods", AdviseQuotaPods}, {"advise-quota-volumes", AdviseQuotaVolumes},
		{"advise-limit-below", AdviseLimitBelow}, {"advise-min-range", AdviseMinRange}, {"advise-ratio-range", AdviseRatioRange}, {"advise-load-requests", AdviseLoadRequests}, {"advise-security", AdviseSecurity}, {"advise-limit-range", AdviseLimitRange},
		{"advise-unbound-claim", AdviseUnboundClaim}, {"advise-no-volume", AdviseNoVolume}, {"advise-storage-class", AdviseStorageClass},
		{"advise-huge-pages", AdviseHugePages}, {"advise-resources", AdviseResources}, {"advise-memory", AdviseMemory}, {"advise-probe", AdviseProbe}, {"advise-taint", AdviseTaint}, {"advise-node", AdviseNode},
		{"advise-shell", AdviseShell}, {"advise-load-image", AdviseLoadImage}, {"advise-image", AdviseImage}, {"advise-image-name", AdviseImageName}, {"advise-priority-class", AdvisePriorityClass},
	}
}
