package container

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// Facts read what the kernel says of the server's process and of every cgroup of
// its node, and, at the start, what the pod was meant to be.
func (s *server) Facts(ctx context.Context, phase string) []record.Fact {
	facts := target.ProcessFacts(s.PID(), phase)
	if phase == "start" {
		facts = append(facts, s.settingFacts(ctx)...)
		facts = append(facts, s.namespaceFacts()...)
		facts = append(facts, s.storageFacts()...)
		facts = append(facts, s.io.facts()...)
		facts = append(facts, s.securityFacts()...)
		facts = append(facts, s.network.Facts(ctx)...)
	}
	facts = append(facts, s.network.Counters()...)
	if phase == "end" {
		facts = append(facts, s.network.Streams(ctx)...)
	}
	facts = append(facts, s.tree.ReadBack(phase)...)
	if s.neighbour != nil {
		facts = append(facts, s.neighbour.Facts(phase)...)
	}
	for i := range facts {
		facts[i].Phase = phase
	}
	return facts
}

func (s *server) settingFacts(ctx context.Context) []record.Fact {
	r := s.requirements
	facts := []record.Fact{
		{Key: keys.PodQoS, Value: string(s.pod.Class())},
		{Key: keys.PodCPURequest, Value: orNone(r.Request.CPU)},
		{Key: keys.PodCPULimit, Value: orNone(r.Limit.CPU)},
		{Key: keys.PodMemoryRequest, Value: orNone(r.Request.Memory)},
		{Key: keys.PodMemoryLimit, Value: orNone(r.Limit.Memory)},
		{Key: keys.PodEnforcedWeight, Value: map[bool]string{false: "of the request", true: "the kernel's default"}[s.enforced.Unweighted]},
		{Key: keys.PodEnforcedQuota, Value: orPods(s.enforced.Quota)},
		{Key: keys.PodEnforcedMemory, Value: orPods(s.enforced.Memory)},
		{Key: keys.PodEnforcedCPUs, Value: cmp.Or(s.enforced.CPUs.String(), "all")},
		{Key: keys.PodCapacityCPU, Value: s.capacity.CPU.String(), Source: "/proc/stat"},
		{Key: keys.PodCapacityMemory, Value: s.capacity.Memory.String(), Source: "/proc/meminfo"},
		{Key: keys.ServerOOMScoreAdjWanted, Value: strconv.Itoa(s.oomWanted)},
		{Key: keys.ContainerRootfs, Value: "overlay", Source: s.layers.options()},
	}
	facts = append(facts, s.shape...)
	version := record.Fact{Key: keys.ContainerRuntime, Source: s.runtime.path + " --version"}
	out, err := s.runtime.do(ctx, "--version")
	if err != nil {
		version.Unknown = err.Error()
	} else {
		version.Value, _, _ = strings.Cut(out, "\n")
	}
	return append(facts, version)
}

// orNone is a resource, or "none" where it is not set.
func orNone[T interface {
	~int64
	fmt.Stringer
}](v T) string {
	if v == 0 {
		return "none"
	}
	return v.String()
}

// orPods is an amount that is enforced in place of the pod's own.
func orPods[T interface {
	~int64
	fmt.Stringer
}](v *T) string {
	if v == nil {
		return "the pod's limit"
	}
	return orNone(*v)
}

// namespaceFacts say which namespaces of the server differ from tare's.
func (s *server) namespaceFacts() []record.Fact {
	var facts []record.Fact
	for _, kind := range []string{"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"} {
		f := record.Fact{Key: keys.ContainerNamespacePrefix + kind, Source: filepath.Join("/proc", strconv.Itoa(s.pid), "ns", kind)}
		theirs, err := os.Readlink(f.Source)
		ours, err2 := os.Readlink(filepath.Join("/proc/self/ns", kind))
		switch {
		case err != nil:
			f.Unknown = err.Error()
		case err2 != nil:
			f.Unknown = err2.Error()
		case theirs == ours:
			f.Value = "the host's"
		default:
			f.Value = "its own"
		}
		facts = append(facts, f)
	}
	return facts
}

// readOOMScoreAdj reads the value of a process, "self" for this one.
func readOOMScoreAdj(process string) (int, error) {
	b, err := os.ReadFile(filepath.Join("/proc", process, "oom_score_adj"))
	if err != nil {
		return 0, fmt.Errorf("read oom_score_adj: %w", err)
	}
	v, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, fmt.Errorf("read oom_score_adj: %w", err)
	}
	return v, nil
}
