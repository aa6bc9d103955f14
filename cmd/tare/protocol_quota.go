package main

// This file says whether quotas admit all pods of a round at once, as slices need them.

import (
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// tooLittleQuota names a ResourceQuota that the pods of a round exceed together: servers, neighbours and load pods. Of
// quotas that may not be listed nothing is known.
func tooLittleQuota(job *runner.Job) *experiment.Reason {
	type counted struct{ cluster, namespace, quota, resource string }
	needed := map[counted]int64{}
	var all []target.Allowance
	for _, arm := range job.Experiment.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok {
			continue
		}
		for _, a := range place.Capabilities().Allowances {
			of := counted{a.Cluster, a.Namespace, a.Quota, a.Resource}
			if _, known := needed[of]; !known {
				all = append(all, a)
			}
			needed[of] += int64(databasesOfArm(job.Experiment, arm)) * a.Takes
		}
	}
	for _, a := range all {
		if need := needed[counted{a.Cluster, a.Namespace, a.Quota, a.Resource}]; need > a.Left {
			return because("quota", "quota", a.Quota, "namespace", a.Namespace, "resource", a.Resource, "left", a.Amount(a.Left), "needed", a.Amount(need))
		}
	}
	return nil
}
