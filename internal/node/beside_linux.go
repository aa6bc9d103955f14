package node

import (
	"fmt"
	"path"
)

// Beside makes a cgroup beside the pod's container, as an init container has one,
// and returns its directories in all hierarchies. What a process in it leaves in
// memory counts to the pod. It goes with the tree.
func (p *Pod) Beside(name string) ([]string, error) {
	h := p.tree.hierarchy
	l := level{key: name, path: path.Join(p.pod.path, name), limits: limits{shares: minShares, container: true}}
	if err := h.make(l); err != nil {
		return nil, err
	}
	dirs, err := h.directories(l.path)
	if err != nil {
		return nil, err
	}
	if dirs == nil {
		return nil, fmt.Errorf("make cgroup %s: it is in no hierarchy", l.path)
	}
	return dirs, nil
}
