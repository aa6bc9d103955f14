package runner

// This file keeps the servers of a run on one node of a cluster where they may be on several, and their load pods on one.

import (
	"sync"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// beside is the node that the servers of a run are on, as far as one is known. Those of a round start together. A nil
// one knows none.
type beside struct {
	mu   sync.Mutex
	node string
	load string // of the first load pod
}

// nodeOf is the node of the servers that a run has measured, else the one that an arm names.
func nodeOf(j Job, run *record.Run) *beside {
	b := &beside{}
	for _, t := range run.Trials {
		for _, f := range t.Facts {
			if f.Key == keys.PodNode && f.Unknown == "" && f.Value != "" {
				b.node = f.Value
			}
		}
		b.noteLoad(t.Facts)
	}
	for _, arm := range j.Experiment.Arms {
		if place := j.Targets[arm.Name]; b.node == "" && place != nil {
			b.node = place.Capabilities().Node
		}
	}
	return b
}

// known is the node; "" for none.
func (b *beside) known() string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.node
}

// note has the node of the first server that has started.
func (b *beside) note(s target.Server) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.node == "" {
		b.node = s.Capabilities().Node
	}
}

// ofLoads is the node of the run's load pods; "" for none.
func (b *beside) ofLoads() string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.load
}

// noteLoad has the node of the first load pod of which facts tell.
func (b *beside) noteLoad(facts []record.Fact) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range facts {
		if b.load == "" && f.Key == keys.LoadPodPrefix+"0.node" && f.Unknown == "" {
			b.load = f.Value
		}
	}
}
