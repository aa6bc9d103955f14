package node

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Processor is one logical CPU and where it lies.
type Processor struct {
	ID, Core, Socket int
	NUMA             int // node of memory
}

// Topology are the machine's online CPUs.
type Topology []Processor

// ReadTopology reads below root ("/", or a tree copied from a machine). Without
// the kernel's files every CPU is a core of its own, as a kubelet takes it.
func ReadTopology(root fs.FS) (Topology, error) {
	const dir = "sys/devices/system/cpu"
	text, err := fs.ReadFile(root, path.Join(dir, "online"))
	if err != nil {
		return nil, fmt.Errorf("read CPU topology: %w", err)
	}
	online, err := ParseCPUSet(string(text))
	if err != nil {
		return nil, fmt.Errorf("read CPU topology: %w", err)
	}
	nodes, err := readNUMA(root)
	if err != nil {
		return nil, fmt.Errorf("read CPU topology: %w", err)
	}
	number := func(cpu int, file string, otherwise int) int {
		b, err := fs.ReadFile(root, path.Join(dir, fmt.Sprintf("cpu%d/topology", cpu), file))
		n, err2 := strconv.Atoi(strings.TrimSpace(string(b)))
		if errors.Join(err, err2) != nil || n < 0 {
			return otherwise
		}
		return n
	}
	var all Topology
	for _, cpu := range online {
		all = append(all, Processor{ID: cpu, Core: number(cpu, "core_id", cpu), Socket: number(cpu, "physical_package_id", 0), NUMA: nodes[cpu]})
	}
	return all, nil
}

// readNUMA returns the NUMA node of each CPU: none on a kernel without NUMA.
func readNUMA(root fs.FS) (map[int]int, error) {
	lists, err := fs.Glob(root, "sys/devices/system/node/node[0-9]*/cpulist")
	if err != nil {
		return nil, err
	}
	of := map[int]int{}
	for _, file := range lists {
		var number int
		if _, err := fmt.Sscanf(path.Base(path.Dir(file)), "node%d", &number); err != nil {
			return nil, fmt.Errorf("read number of %s: %w", path.Dir(file), err)
		}
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(string(text)) == "" {
			continue // a node that has only memory
		}
		cpus, err := ParseCPUSet(string(text))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		for _, cpu := range cpus {
			of[cpu] = number
		}
	}
	return of, nil
}

// CPUs are all of them.
func (t Topology) CPUs() CPUSet {
	var all CPUSet
	for _, p := range t {
		all = append(all, p.ID)
	}
	slices.Sort(all)
	return all
}

// Take picks n of the free CPUs as the static CPU manager does with its default
// options (pkg/kubelet/cm/cpumanager/cpu_assignment.go of Kubernetes 1.34, takeByTopologyNUMAPacked):
// whole free NUMA nodes and sockets while n asks for as many, then whole free cores, then single
// CPUs. Those with the fewest free CPUs are taken first. What is left over is false.
func (t Topology) Take(free CPUSet, n int) (CPUSet, bool) {
	if n > len(free) {
		return nil, false
	}
	at := t.places()
	all := counts(at, t.CPUs())
	var taken CPUSet
	take := func(cpus CPUSet) {
		taken, free, n = append(taken, cpus...), free.Without(cpus), n-len(cpus)
	}
	for level := range levels {
		for _, cpus := range groups(at, free, level) {
			if len(cpus) == all[at[cpus[0]].key(level)] && len(cpus) <= n {
				take(cpus)
			}
		}
	}
	take(ordered(at, free)[:n])
	slices.Sort(taken)
	return taken, true
}

// place is where a CPU lies: its NUMA node and its socket, the larger one first, and the
// first CPU of its core.
type place [levels]int

const levels = 3

// key tells the groups of all levels apart.
func (p place) key(level int) [2]int { return [2]int{level, p[level]} }

// places are those of all CPUs. A NUMA node is the larger one if there are at most as many as sockets.
func (t Topology) places() map[int]place {
	nodes, sockets, first := map[int]bool{}, map[int]bool{}, map[[2]int]int{}
	for _, p := range t {
		nodes[p.NUMA], sockets[p.Socket] = true, true
		core := [2]int{p.Socket, p.Core}
		if id, ok := first[core]; !ok || p.ID < id {
			first[core] = p.ID
		}
	}
	at := map[int]place{}
	for _, p := range t {
		outer, inner := p.NUMA, p.Socket
		if len(nodes) > len(sockets) {
			outer, inner = inner, outer
		}
		at[p.ID] = place{outer, inner, first[[2]int{p.Socket, p.Core}]}
	}
	return at
}

// counts are the numbers of CPUs in each group of each level.
func counts(at map[int]place, cpus CPUSet) map[[2]int]int {
	n := map[[2]int]int{}
	for _, cpu := range cpus {
		for level := range levels {
			n[at[cpu].key(level)]++
		}
	}
	return n
}

// ordered are the free CPUs in the order in which they are given away: at each level
// the group with the fewest free CPUs first.
func ordered(at map[int]place, free CPUSet) CPUSet {
	left := counts(at, free)
	all := slices.Clone(free)
	slices.SortFunc(all, func(a, b int) int {
		for level := range levels {
			x, y := at[a].key(level), at[b].key(level)
			if c := cmp.Or(cmp.Compare(left[x], left[y]), cmp.Compare(x[1], y[1])); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
	return all
}

// groups are the free CPUs of each NUMA node, socket or core, in that order.
func groups(at map[int]place, free CPUSet, level int) []CPUSet {
	var all []CPUSet
	for _, cpu := range ordered(at, free) {
		if last := len(all) - 1; last >= 0 && at[all[last][0]][level] == at[cpu][level] {
			all[last] = append(all[last], cpu)
			continue
		}
		all = append(all, CPUSet{cpu})
	}
	return all
}
