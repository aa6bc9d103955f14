package diagnose

import (
	"slices"

	"github.com/tarebench/tare/internal/manifest"
)

func oGEN02() Rule {
	return Rule{
		ID: "O-GEN-02", Title: "The operator's resource weakens the pods of the database", Severity: Warning, Needs: []Need{needAny()},
		What: "What an operator puts into its pods is safe by default. Fields of its resource replace that: a short grace period, a liveness probe that gives up at " +
			"once, a PodDisruptionBudget that lets a drain take several members, members on one node, data in an emptyDir.",
		Impact:  "Crash recovery after every restart, restart loops, loss of quorum when a node fails or is drained, loss of the data.",
		Fix:     "Leave the field out, so that the operator's default holds, or use the printed value.",
		Sources: []string{pxcOperator, psOperator, mariadbOp, oracleOperator},
		Check:   checkResourceOfOperator,
	}
}

func checkResourceOfOperator(c *Case) (all []Finding) {
	p := c.DB.Written
	if grace := p.Grace; grace.Exists() && grace.Int(600) < 60 {
		all = append(all, confirmed(grace.Spot(), "grace period of %s s to flush the dirty pages before the server is killed", grace.Text()).fix("%s: 600", grace.Path()))
	}
	for _, probe := range p.Liveness {
		tries, timeout := probe.Get("failureThreshold").Int(3), probe.Get("timeoutSeconds").Int(5)
		if probe.Exists() && (tries == 1 || tries*timeout < 10) {
			all = append(all, confirmed(probe.Spot(), "liveness probe with timeoutSeconds %d and failureThreshold %d: a busy or throttled server is killed", timeout, tries).as(Error).fix("timeoutSeconds: 10 and failureThreshold: 6 in %s", probe.Path()))
		}
	}
	if most := p.Budget.Get("maxUnavailable"); c.DB.Replicas > 1 {
		switch n, ok := replicasOf(most.Text(), c.DB.Replicas); {
		case most.Exists() && !ok:
			all = append(all, unknown("%s is not a number or a percentage: %q", most.Path(), most.Text()))
		case ok && n > 1:
			all = append(all, confirmed(most.Spot(), "maxUnavailable is %s of %d replicas", most.Text(), c.DB.Replicas).fix("%s: 1", most.Path()))
		}
	}
	if v := p.AntiAffinity; c.DB.Replicas > 1 && v.Exists() && (v.Text() == "none" || v.Text() == "false") {
		all = append(all, confirmed(v.Spot(), "%s is %s: all members can run on one node", v.Path(), v.Text()).fix("leave %s out, or set it to the operator's default", v.Path()))
	}
	for _, v := range []manifest.Value{p.Volume.Get("emptyDir"), p.Volume.Get("ephemeral")} {
		key := v.Path()[max(0, len(p.Volume.Path())):]
		if slices.ContainsFunc(p.Volume.Fields(), func(f manifest.Field) bool { return "."+f.Key == key && !f.Value.IsFalse() }) {
			all = append(all, confirmed(v.Spot(), "the data directory is an emptyDir: on the node's root disk, and deleted with the pod").as(Error).fix("use a persistentVolumeClaim instead of emptyDir"))
		}
	}
	return all
}
