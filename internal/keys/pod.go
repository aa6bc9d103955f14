package keys

// This file has the facts of a pod, its node and its operator.

const (
	PodUID                       = "pod.uid"                         // the pod's uid: another one is another pod
	PodNode                      = "pod.node"                        // the node of the pod
	PodPhase                     = "pod.phase"                       // the phase of the pod
	PodRestarts                  = "pod.restarts"                    // how often the kubelet restarted the server's container
	PodImage                     = "pod.image"                       // the image of the server's container
	PodImageID                   = "pod.image_id"                    // the digest of that image
	PodQoS                       = "pod.qos"                         // the QoS class of the pod
	PodCPURequest                = "pod.cpu.request"                 // the CPU request
	PodCPULimit                  = "pod.cpu.limit"                   // the CPU limit
	PodMemoryRequest             = "pod.memory.request"              // the memory request
	PodMemoryLimit               = "pod.memory.limit"                // the memory limit
	PodMemoryOOMEvents           = "pod.memory.oom_events"           // OOM kills in the container, as its kubelet counts them
	PodMemoryWorkingSet          = "pod.memory.working_set"          // the working set of the container, as its kubelet gives it
	PodHugePagesLimit            = "pod.hugepages.limit"             // the limit of huge pages
	PodHostNetwork               = "pod.host_network"                // whether the pod uses the node's network namespace
	PodShape                     = "pod.shape"                       // the size class from which request and limit come
	PodShapeDividedBy            = "pod.shape.divided_by"            // by how much that size was divided to fit the machine
	PodCapacityCPU               = "pod.capacity.cpu"                // the CPUs of the node
	PodCapacityMemory            = "pod.capacity.memory"             // the memory of the node
	PodEnforcedCPUs              = "pod.enforced.cpus"               // the CPUs to which the cgroup was bound
	PodEnforcedMemory            = "pod.enforced.memory"             // the memory limit that was enforced
	PodEnforcedQuota             = "pod.enforced.quota"              // the CPU quota that was enforced
	PodEnforcedWeight            = "pod.enforced.weight"             // whether the CPU weight is that of the request
	PodIOPreset                  = "pod.io.preset"                   // the volume class whose limits were enforced
	PodIOReadIOPS                = "pod.io.read_iops"                // the limit of read operations per second
	PodIOWriteIOPS               = "pod.io.write_iops"               // the limit of write operations per second
	PodIOReadBandwidth           = "pod.io.read_bandwidth"           // the limit of bytes read per second
	PodIOWriteBandwidth          = "pod.io.write_bandwidth"          // the limit of bytes written per second
	PodVolume                    = "pod.volume"                      // the kind of the volume that has the data
	PodVolumePrefix              = "pod.volume."                     // a property of the claim and of the storage class behind the data
	PodVolumeAttributesClass     = "pod.volume.attributes_class"     // the VolumeAttributesClass of the claim
	PodVolumeClass               = "pod.volume.class"                // the storage class of the claim
	PodVolumeLife                = "pod.volume.life"                 // how long the data on the volume live
	PodVolumeProvisioner         = "pod.volume.provisioner"          // the provisioner of the storage class
	PodVolumeParameterIOPS       = "pod.volume.parameter.iops"       // the parameter iops of the storage class
	PodVolumeParameterIOPSPerGB  = "pod.volume.parameter.iopsPerGB"  // the parameter iopsPerGB of the storage class
	PodVolumeParameterThroughput = "pod.volume.parameter.throughput" // the parameter throughput of the storage class
	PodVolumeParameterType       = "pod.volume.parameter.type"       // the parameter type of the storage class
	PodInstanceType              = "pod.instance_type"               // the instance type of the node
	PodZone                      = "pod.zone"                        // the zone of the node
	PodProbes                    = "pod.probes"                      // whether a pod beside the server read the node's counters
	PodWarnings                  = "pod.warnings"                    // warnings among the events of the pod
	KubeletPrefix                = "kubelet."                        // a setting of the node's kubelet
	KubeletCPUManagerPolicy      = "kubelet.cpuManagerPolicy"        // the CPU manager policy of the node's kubelet
	ManifestsSHA256              = "manifests.sha256"                // the hash of the objects that were applied
	NodeAllocatableCPU           = "node.allocatable.cpu"            // the CPUs that pods of the node may request
	NodeAllocatableMemory        = "node.allocatable.memory"         // the memory that pods of the node may request
	NodeBootID                   = "node.boot_id"                    // the boot id of the node's kernel: equal for nodes that share one
	NodeKernel                   = "node.kernel"                     // the release of the node's kernel
	NodeKubelet                  = "node.kubelet"                    // the release of the node's kubelet
	NodeOS                       = "node.os"                         // the operating system of the node
	OperatorName                 = "operator.name"                   // the operator that runs the database
	OperatorMembers              = "operator.members"                // the members that the operator's resource asks for
	OperatorResourceSHA256       = "operator.resource.sha256"        // the hash of the operator's resource as it was applied
	OperatorVia                  = "operator.via"                    // the endpoint of the operator's database that the load used
	OperatorOptions              = "operator.options"                // why the options that the operator set are unknown
	OperatorOptionPrefix         = "operator.option."                // who set one option of the server: the operator, and where it is stated
	ImageOptionPrefix            = "image.option."                   // the image that set one option of an operator's server, and where
)
