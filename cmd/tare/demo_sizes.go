package main

// The sizes of the demo's pods in a cluster: all of them are there at once, on what a node, quotas and ranges leave.

import (
	"fmt"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// The least and the most that a pod of the demo requests, in thousandths of a CPU. By slices a load pod works only while its
// own server does, so that its weight counts against that server and its neighbour alone.
const (
	leastLoad, mostLoad     node.CPU = 50, 500
	leastServer, mostServer node.CPU = 150, 2000 // least: with neighbours
	leastCPU                node.CPU = 100       // without them
	spareCPU                node.CPU = 100       // for what else comes to the node
	sizeStep                node.CPU = 50
	leastServerMemory                = 768 << 20 // with the small buffer pool: 9.7 uses 550 MiB, and with 512Mi it was killed while it made the data
	memoryStep                       = 128 << 20
)

// crowd is how many pods are there at once, as slices need it.
type crowd struct {
	servers    int // each with its load
	sized      int // of them, those that request something
	guaranteed int // of them, those that set limits
	beside     int // neighbours
	loads      int // pods that load
	runs       int // pods that carry out the run, where that is not this machine
}

// crowd counts the pods of the arms that are not left out.
func (f *clusterFields) crowd(s kubernetes.Survey, neighbours bool) crowd {
	times, classes := 1, 3
	for _, none := range []string{s.NoBestEffort, s.NoBurstable} {
		if none != "" {
			classes--
		}
	}
	c := crowd{runs: 1} // also where it is this machine in the end: a pod can be refused
	if neighbours {
		times, c.beside = 2, classes
	}
	c.servers, c.guaranteed = classes*times+1, times // one at the address of its Service, of the first class
	c.sized = c.servers
	if s.NoBestEffort == "" {
		c.sized -= times + 1
	} else if s.NoBurstable != "" {
		c.guaranteed++
	}
	if f.LoadPods {
		c.loads = c.servers
	}
	return c
}

func (c crowd) pods() int { return c.servers + c.beside + c.loads + c.runs }

// small are the pods that request what a load does, or what a range gives them.
func (c crowd) small() int { return c.servers + c.beside + c.runs }

// unlimited are the pods that set no limits, and get those of a range.
func (c crowd) unlimited() int { return c.pods() - c.guaranteed }

// sizes are those that fit at once: all servers are up, each with its load pod, and those of class BestEffort request
// nothing. Without enough for the arms beside neighbours these are left out, and false is returned.
func (f *clusterFields) sizes(s kubernetes.Survey, neighbours bool) (bool, error) {
	c := f.crowd(s, neighbours)
	f.load = max(min(max(s.Free.CPU/20/10*10, leastLoad), mostLoad), s.Least.CPU)
	f.cpu = (s.Free.CPU - node.CPU(c.small())*f.load - spareCPU) / node.CPU(c.sized)
	extra := node.Bytes(c.small()) * s.Given.Memory
	f.memory = (s.Free.Memory - extra) / node.Bytes(c.servers)
	f.limited(s, c)
	f.cpu, f.memory = f.cpu/sizeStep*sizeStep, f.memory/memoryStep*memoryStep
	f.memory = min(max(f.memory, leastServerMemory, s.Least.Memory), node.Bytes(firstLimit(256<<20)))
	if s.Most.Memory > 0 {
		f.memory = min(f.memory, s.Most.Memory)
	}
	if neighbours {
		why := f.beyondQuotas(s, c)
		if why == "" && (f.cpu < max(leastServer, s.Least.CPU) || node.Bytes(c.sized)*f.memory+extra > s.Free.Memory) {
			why = fmt.Sprintf("%s of CPU and %s of memory are too little for all arms at once.", millis(s.Free.CPU), mebi(s.Free.Memory))
		}
		if why != "" {
			f.leave("The arms beside a busy neighbour are left out: " + why)
			return f.sizes(s, false)
		}
	}
	f.cpu = min(f.cpu, mostServer)
	if s.Most.CPU > 0 {
		f.cpu = min(f.cpu, s.Most.CPU)
	}
	if why := f.beyondQuotas(s, c); why != "" {
		return false, hinted{target.Unavailable{Err: fmt.Errorf("namespace %s: %s", s.Namespace, why)},
			fmt.Sprintf("have the quota raised to what is needed (kubectl describe resourcequota -n %s), name another namespace with --namespace, or write an experiment with fewer arms (docs/spec.md)", s.Namespace)}
	}
	least := max(leastCPU, s.Least.CPU)
	if f.cpu < least || f.memory < leastServerMemory || node.Bytes(c.sized)*f.memory+extra > s.Free.Memory {
		return false, target.Unavailable{Err: fmt.Errorf("%s of CPU and %s of memory are free, and %d servers at once are too much for that: one needs %s and %s", millis(s.Free.CPU), mebi(s.Free.Memory), c.servers, millis(least), manifest.Size(leastServerMemory))}
	}
	if f.memory < node.Bytes(firstLimit(256<<20)) {
		f.Pool = "64M"
	}
	f.neighbour = max(1000, s.Free.CPU/2000*1000)
	f.all = node.Resources{CPU: node.CPU(c.sized)*f.cpu + node.CPU(c.small())*f.load, Memory: node.Bytes(c.sized)*f.memory + extra}
	for _, most := range []node.Resources{s.Most, s.Limits} { // of one container, and of limits: the pod of this size sets them too
		if most.CPU > 0 {
			f.all.CPU = min(f.all.CPU, most.CPU)
		}
		if most.Memory > 0 {
			f.all.Memory = min(f.all.Memory, most.Memory)
		}
	}
	return neighbours, nil
}

func mebi(b node.Bytes) string { return manifest.Size(int64(b >> 20 << 20)) }

// limited makes the sizes fit quotas of limits, which the pods of other classes than Guaranteed use up with what a range
// gives them.
func (f *clusterFields) limited(s kubernetes.Survey, c crowd) {
	if s.Limits.CPU > 0 {
		f.cpu = min(f.cpu, (s.Limits.CPU-node.CPU(c.unlimited())*s.Default.CPU)/node.CPU(c.guaranteed))
	}
	if s.Limits.Memory > 0 {
		f.memory = min(f.memory, (s.Limits.Memory-node.Bytes(c.unlimited())*s.Default.Memory)/node.Bytes(c.guaranteed))
	}
}

// beyondQuotas says which quota the pods do not fit, "" for none.
func (f *clusterFields) beyondQuotas(s kubernetes.Survey, c crowd) string {
	if s.Pods.Limited && s.Pods.Left < c.pods() {
		quota := "a ResourceQuota"
		if s.Pods.Quota != "" {
			quota = "ResourceQuota " + s.Pods.Quota
		}
		return fmt.Sprintf("%s leaves %d pods, and %d are needed at once.", quota, s.Pods.Left, c.pods())
	}
	cpu := node.CPU(c.guaranteed)*max(f.cpu, leastCPU, s.Least.CPU) + node.CPU(c.unlimited())*s.Default.CPU
	if s.Limits.CPU > 0 && cpu > s.Limits.CPU {
		return fmt.Sprintf("a ResourceQuota leaves limits of %s CPU, and %s are needed: %d pods get %s from a LimitRange, and %d Guaranteed servers need %s each.",
			millis(s.Limits.CPU), millis(cpu), c.unlimited(), millis(s.Default.CPU), c.guaranteed, millis(max(f.cpu, leastCPU, s.Least.CPU)))
	}
	memory := node.Bytes(c.guaranteed)*f.memory + node.Bytes(c.unlimited())*s.Default.Memory
	if s.Limits.Memory > 0 && memory > s.Limits.Memory {
		return fmt.Sprintf("a ResourceQuota leaves limits of %s memory, and %s are needed: %d pods get %s from a LimitRange, and %d Guaranteed servers need %s each.",
			mebi(s.Limits.Memory), mebi(memory), c.unlimited(), mebi(s.Default.Memory), c.guaranteed, mebi(f.memory))
	}
	return ""
}

// whySize says why the CPU of the pods is what it is: a quota that is small for the load decides what Guaranteed costs.
func (f *clusterFields) whySize(s kubernetes.Survey) string {
	switch f.cpu {
	case mostServer:
		return ""
	case s.Most.CPU:
		return fmt.Sprintf("cpu: %dm is the most that a LimitRange allows.", f.cpu)
	}
	of := "free on the node or in its quotas"
	if s.Assumed {
		of = "assumed to be free on a node"
	}
	return fmt.Sprintf("cpu: %dm is the share of one pod: the pods of all arms are there at once, and %dm CPU are %s.", f.cpu, s.Free.CPU, of)
}
