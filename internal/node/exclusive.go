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
		all = append(all, Processor{ID: cpu, Core: number(cpu, "core_id", cpu), Socket: number(cpu, "physical_package_id", 0)})
	}
	return all, nil
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
// options (pkg/kubelet/cm/cpumanager/cpu_assignment.go, takeByTopologyNUMAPacked):
// whole free sockets while n asks for as many, then whole free cores, then single
// CPUs, the least free sockets and cores first. What is left over is false.
func (t Topology) Take(free CPUSet, n int) (CPUSet, bool) {
	if n > len(free) {
		return nil, false
	}
	var taken CPUSet
	take := func(cpus CPUSet) {
		taken, free, n = append(taken, cpus...), free.Without(cpus), n-len(cpus)
	}
	for _, level := range []func(Processor) [2]int{
		func(p Processor) [2]int { return [2]int{p.Socket, -1} },
		func(p Processor) [2]int { return [2]int{p.Socket, p.Core} },
	} {
		for _, g := range t.groups(free, level) {
			if len(g.free) == g.size && g.size <= n {
				take(g.free)
			}
		}
	}
	for _, p := range t.scattered(free, taken) {
		if n > 0 {
			take(CPUSet{p.ID})
		}
	}
	slices.Sort(taken)
	return taken, true
}

// group are the free CPUs of a socket or a core, and how many it has in all.
type group struct {
	at   [2]int
	free CPUSet
	size int
}

// groups are in the order of their sockets, cores and CPUs.
func (t Topology) groups(free CPUSet, level func(Processor) [2]int) []group {
	var all []group
	for _, p := range t {
		at := level(p)
		i := slices.IndexFunc(all, func(g group) bool { return g.at == at })
		if i < 0 {
			i = len(all)
			all = append(all, group{at: at})
		}
		all[i].size++
		if slices.Contains(free, p.ID) {
			all[i].free = append(all[i].free, p.ID)
		}
	}
	slices.SortStableFunc(all, func(a, b group) int { return slices.Compare(a.at[:], b.at[:]) })
	return all
}

// scattered are the free CPUs in the order in which single ones are given away:
// first of the sockets of which most has been taken, then of those and the cores
// with the fewest free.
func (t Topology) scattered(free, taken CPUSet) []Processor {
	var all []Processor
	takenOf, freeOf, freeAt := map[int]int{}, map[int]int{}, map[[2]int]int{} // of sockets, and at cores
	for _, p := range t {
		if slices.Contains(taken, p.ID) {
			takenOf[p.Socket]++
		}
		if slices.Contains(free, p.ID) {
			freeOf[p.Socket]++
			freeAt[[2]int{p.Socket, p.Core}]++
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Processor) int {
		return cmp.Or(
			cmp.Compare(takenOf[b.Socket], takenOf[a.Socket]),
			cmp.Compare(freeOf[a.Socket], freeOf[b.Socket]),
			cmp.Compare(freeAt[[2]int{a.Socket, a.Core}], freeAt[[2]int{b.Socket, b.Core}]),
			cmp.Compare(a.Socket, b.Socket), cmp.Compare(a.Core, b.Core), cmp.Compare(a.ID, b.ID))
	})
	return all
}
