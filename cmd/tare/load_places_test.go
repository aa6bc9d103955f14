package main

import (
	"context"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// placed is a target of which only the place of its load is known.
type placed int

func (p placed) Data() target.Data             { return target.InServer }
func (p placed) Check(context.Context) []error { return nil }
func (p placed) Capabilities() target.Capabilities {
	return target.Capabilities{Generators: int(p)}
}
func (p placed) Start(context.Context, target.Request) (target.Server, error) { return nil, nil }

// TestLoadPlaces: pods that load a pod while this host loads another server are said to
// be another way.
func TestLoadPlaces(t *testing.T) {
	job := runner.Job{
		Experiment: &experiment.Experiment{Arms: experiment.Arms{{Name: "rds"}, {Name: "pod"}}},
		Targets:    map[string]target.Target{"rds": placed(0), "pod": placed(2)},
	}
	if got := strings.Join(loadPlaces(job), ""); !strings.Contains(got, "the load of pod comes from pods") || !strings.Contains(got, "that of rds from this host") {
		t.Errorf("%q", got)
	}
	job.Targets["rds"] = placed(1)
	if got := loadPlaces(job); got != nil {
		t.Errorf("alike: %v", got)
	}
}
