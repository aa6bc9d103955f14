// Package node represents this machine as a Kubernetes node: its allocatable resources,
// the cgroup tree of its pods, and the pods beside the server.
package node

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// EvictionThreshold is the memory a kubelet keeps free by default: hard
// eviction at memory.available < 100Mi (pkg/kubelet/eviction/defaults_linux.go).
// It is not allocatable, but no cgroup limit enforces it.
const EvictionThreshold Bytes = 100 << 20

// Capacity is what the machine has: its online CPUs and its memory, read where
// a kubelet reads them. A CPU mask or a memory limit of tare's own process does
// not count, because the tree of the pods is outside it.
func Capacity() (Resources, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return Resources{}, fmt.Errorf("read capacity: %w", err)
	}
	stat, err := fs.Stat()
	if err != nil {
		return Resources{}, fmt.Errorf("read capacity: %w", err)
	}
	mem, err := fs.Meminfo()
	if err != nil {
		return Resources{}, fmt.Errorf("read capacity: %w", err)
	}
	if mem.MemTotalBytes == nil || len(stat.CPU) == 0 {
		return Resources{}, fmt.Errorf("read capacity: /proc shows %d CPUs and no MemTotal", len(stat.CPU))
	}
	return Resources{CPU: CPU(len(stat.CPU)) * 1000, Memory: Bytes(*mem.MemTotalBytes)}, nil
}
