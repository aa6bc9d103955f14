package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// treePrefix begins the name of every tree of tare's, so that none can be a
// kubelet's and all can be found again.
const treePrefix = "tare-"

// Tree is the cgroup tree of the pods of one instance, as a kubelet with the
// cgroupfs driver makes it. It lies at the top of the hierarchy, where a
// kubelet's kubepods would, so that its weight competes with the same
// neighbours; a kubelet's own tree is never touched.
type Tree struct {
	name      string
	hierarchy hierarchy
	top       level
	tiers     []level // besteffort, burstable
	pods      []*Pod
	// shared are the CPUs of the pods that have none to themselves.
	shared CPUSet
	// neighbour is nil where there is none.
	neighbour *RunningNeighbour
}

// Share keeps the pods that are added from now on without CPUs of their own to
// these: a static CPU manager's shared pool.
func (t *Tree) Share(cpus CPUSet) { t.shared = cpus }

// NewTree is the tree of an instance on a machine of this capacity that keeps
// reserved for its system. It makes nothing yet.
func NewTree(instance string, capacity, reserved Resources) (*Tree, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`).MatchString(instance) {
		return nil, fmt.Errorf("name cgroup tree: %q is not a name: use letters, digits, dot, dash and underscore", instance)
	}
	h, err := findHierarchy()
	if err != nil {
		return nil, err
	}
	return newTree(instance, h, nodeLimits(capacity, reserved)), nil
}

func newTree(instance string, h hierarchy, node limits) *Tree {
	top := "/" + treePrefix + instance
	return &Tree{
		name:      instance,
		hierarchy: h,
		top:       level{key: "kubepods", path: top, limits: node},
		tiers: []level{
			{key: "besteffort", path: path.Join(top, "besteffort"), limits: limits{shares: minShares}},
			{key: "burstable", path: path.Join(top, "burstable"), limits: limits{shares: minShares}},
		},
	}
}

// Create makes the levels above the pods.
func (t *Tree) Create() error {
	for _, l := range append([]level{t.top}, t.tiers...) {
		if err := t.hierarchy.make(l); err != nil {
			return err
		}
	}
	return nil
}

// Pod is one pod's place in a tree: its own cgroup and that of its container.
type Pod struct {
	tree      *Tree
	prefix    string // of its facts' keys
	class     QoS
	request   Resources
	pod       level
	container level
}

// AddPod makes the cgroup of a pod with one container; the container's cgroup is
// its runtime's to make, below ContainerPath with the values of Resources. The
// class follows from the requirements; e is what the node enforces in place of
// what follows from them. Facts about the pod have keys that begin with prefix.
func (t *Tree) AddPod(name, prefix string, r Requirements, e Enforced) (*Pod, error) {
	if len(e.CPUs) == 0 {
		e.CPUs = t.shared
	}
	p := t.plan(name, prefix, r, e)
	t.pods = append(t.pods, p)
	if err := t.lift(p, e); err != nil {
		return nil, err
	}
	if err := t.hierarchy.make(p.pod); err != nil {
		return nil, err
	}
	return p, nil
}

// plan places a pod by its class: Guaranteed ones lie directly below kubepods.
func (t *Tree) plan(name, prefix string, r Requirements, e Enforced) *Pod {
	r = r.Defaulted()
	p := &Pod{tree: t, prefix: prefix, class: Class(r), request: r.Request}
	above := t.top.path
	if p.class != Guaranteed {
		above = path.Join(above, strings.ToLower(string(p.class)))
	}
	p.pod = level{key: "pod", path: path.Join(above, "pod"+name), limits: podLimits(r, e)}
	p.container = level{key: "container", path: path.Join(p.pod.path, name), limits: containerLimits(r, e)}
	return p
}

// lift writes again the levels above a pod whose values the pod changes. The
// shares of the tier of the Burstable pods are those of the sum of their requests
// (qos_container_manager_linux.go). A kubelet refreshes them once a minute; here
// they are right from the start. Above a pod without a weight no level has one:
// its part would be decided there.
func (t *Tree) lift(p *Pod, e Enforced) error {
	var sum CPU
	for _, p := range t.pods {
		if p.class == Burstable {
			sum += p.request.CPU
		}
	}
	t.tiers[1].limits.shares = Shares(sum)
	var changed []level
	if e.Unweighted {
		t.top.limits.unweighted = true
		changed = append(changed, t.top)
	}
	for i, class := range []QoS{BestEffort, Burstable} {
		if p.class != class {
			continue
		}
		t.tiers[i].limits.unweighted = t.tiers[i].limits.unweighted || e.Unweighted
		changed = append(changed, t.tiers[i])
	}
	for _, l := range changed {
		if err := t.hierarchy.make(l); err != nil {
			return err
		}
	}
	return nil
}

// Class is the QoS class of the pod.
func (p *Pod) Class() QoS { return p.class }

// ContainerPath is the cgroup of the pod's container, from the root of a
// hierarchy: what an OCI runtime takes as cgroupsPath.
func (p *Pod) ContainerPath() string { return p.container.path }

// Resources are the values of the container's cgroup as a kubelet hands them to
// an OCI runtime, which on cgroup v2 makes a weight of the shares itself.
func (p *Pod) Resources() *specs.LinuxResources {
	r := p.container.limits.oci(p.tree.hierarchy.swap())
	if p.tree.hierarchy.unified {
		r.Unified = map[string]string{"memory.oom.group": "1"}
		if p.container.limits.unweighted {
			// A runtime would make another weight of the default shares.
			r.CPU.Shares, r.Unified["cpu.weight"] = nil, strconv.FormatUint(defaultWeight, 10)
		}
		if p.tree.hierarchy.swap() {
			r.Memory.Swap = nil
			r.Unified["memory.swap.max"] = "0"
		}
	}
	return r
}

// makeContainer makes the container's cgroup for a pod that has no runtime.
func (p *Pod) makeContainer() error { return p.tree.hierarchy.make(p.container) }

// Enter makes the cgroup of the container of a pod that has no runtime, and moves a
// process into it.
func (p *Pod) Enter(pid int) error {
	if err := p.makeContainer(); err != nil {
		return err
	}
	return p.enter(pid)
}

// enter moves a process into the container's cgroup.
func (p *Pod) enter(pid int) error { return p.tree.hierarchy.enter(p.container.path, pid) }

// Unified says that the tree is one of cgroup v2.
func (t *Tree) Unified() bool { return t.hierarchy.unified }

// Processes are the ids of all processes in the tree.
func (t *Tree) Processes() ([]int, error) { return t.hierarchy.processes(t.top.path) }

// Remove removes the tree from all hierarchies, from the bottom up. It ends no
// process: while one is left, or the kernel is not done with one that has
// ended, a cgroup is busy and is tried again until ctx ends or ten seconds have
// passed. Removing what is not there is no error.
func (t *Tree) Remove(ctx context.Context) error { return removeCgroups(ctx, t.removeOnce) }

// removeCgroups repeats once, which returns one cgroup that is still busy and "" when all
// are removed, until ctx ends or ten seconds have passed.
func removeCgroups(ctx context.Context, once func() (left string, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		left, err := once()
		if err == nil && left == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			if err == nil {
				err = fmt.Errorf("remove cgroup %s: %w", left, ctx.Err())
			}
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// removeOnce returns one cgroup that could not be removed yet, "" when all are.
func (t *Tree) removeOnce() (left string, err error) {
	dirs, err := t.hierarchy.directories(t.top.path)
	if err != nil {
		return "", err
	}
	for _, d := range dirs {
		busy, err := removeCgroup(d)
		if err != nil {
			return d, err
		}
		if busy {
			left = d
		}
	}
	return left, nil
}

// removeCgroup says whether the cgroup of a directory is busy; one that is not there is removed.
func removeCgroup(dir string) (busy bool, err error) {
	err = os.Remove(dir)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return false, nil
	case isBusy(err):
		return true, nil
	}
	return false, fmt.Errorf("remove cgroup: %w", err)
}
