package keys

// This file has the facts of a container.

const (
	ContainerRuntime               = "container.runtime"                  // the container runtime and its release
	ContainerRootfs                = "container.rootfs"                   // the file system of the container's root
	ContainerSeccomp               = "container.seccomp"                  // the seccomp profile that the experiment sets
	ContainerCapabilitiesBounding  = "container.capabilities.bounding"    // the bounding set of the process's capabilities
	ContainerNamespacePrefix       = "container.namespace."               // whether one kind of namespace is the server's own or the host's
	ContainerNamespaceNet          = "container.namespace.net"            // whether the network namespace is the server's own or the host's
	ContainerVolume                = "container.volume"                   // the kind of the volume that has the data
	ContainerDataFilesystem        = "container.data.filesystem"          // the file system of the data volume
	ContainerDataMountPath         = "container.data.mount.path"          // what is mounted as the data volume
	ContainerDataOptions           = "container.data.options"             // the mount options of the data volume
	ContainerBlockDeviceName       = "container.block.device.name"        // the number of the loop device below the data volume
	ContainerBlockDirectIO         = "container.block.direct_io"          // 1 if the loop device reads and writes its file directly
	ContainerBlockLogicalBlockSize = "container.block.logical_block_size" // the logical block size of the loop device
	ContainerBlockScheduler        = "container.block.scheduler"          // the I/O scheduler of the loop device
)
