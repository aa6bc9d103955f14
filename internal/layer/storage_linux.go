package layer

import (
	"context"

	"github.com/tarebench/tare/internal/node"
)

// storage are the layers between the server and its disk.
func storage() []Layer {
	return []Layer{
		{Name: "container file system", Setting: "filesystem: overlay", Attribute: "filesystem", Help: "data directory on the container's own overlayfs, over the volume"},
		{Name: "volume", Setting: "volume: hostPath", Help: "data directory on the node's own file system"},
		{Name: "volume", Setting: "volume: block", Attribute: "block", Help: "data directory on a block device of its own: ext4 on a loop device", Probe: blockHere},
		{Name: "volume", Setting: "volume: tmpfs", Attribute: "tmpfs", Help: "data directory in memory: an emptyDir of medium Memory"},
		{Name: "I/O limits", Setting: "io: gp3", Attribute: "io", Help: "read and write IOPS and bandwidth of the volume, by cgroup", Probe: throttleHere},
	}
}

func blockHere(context.Context) error { return node.CheckBlock() }

func throttleHere(context.Context) error { return node.CheckThrottle() }
