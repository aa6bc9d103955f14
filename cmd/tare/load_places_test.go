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
	if p == 0 {
		return target.Capabilities{}
	}
	return target.Capabilities{Generators: int(p), LoadPlace: "pods of cluster https://10.0.0.1:6443"}
}
func (p placed) Start(context.Context, target.Request) (target.Server, error) { return nil, nil }

// TestLoadPlaces: pods that load a pod while this host loads another server are said to
// be another way.
func TestLoadPlaces(t *testing.T) {
	job := runner.Job{
		Experiment: &experiment.Experiment{Arms: experiment.Arms{{Name: "rds"}, {Name: "pod"}}},
		Targets:    map[string]target.Target{"rds": placed(0), "pod": placed(2)},
	}
	if got := strings.Join(loadPlaces(job), ""); !strings.Contains(got, "rds from this host; pod from pods of cluster https://10.0.0.1:6443") {
		t.Errorf("%q", got)
	}
	job.Targets["rds"] = placed(1)
	if got := loadPlaces(job); got != nil {
		t.Errorf("alike: %v", got)
	}
	job.Targets["rds"], job.From = placed(0), &target.Load{Place: "pods of cluster b", Generators: 2}
	if got := strings.Join(loadPlaces(job), ""); got != "load: from pods of cluster b, 2 generators" {
		t.Errorf("load.from: %q", got)
	}
}
