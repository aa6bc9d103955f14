package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kOPS04() Rule {
	return Rule{
		ID: "K-OPS-04", Title: "The liveness probe kills a server that recovers", Severity: Error, Needs: []Need{needPod()},
		What: "After a crash InnoDB reads the redo log before it answers, which takes minutes with a large one; a throttled server misses short time-outs. " +
			"A liveness probe without a start-up probe kills it at that, and the recovery begins anew.",
		Fix:     "A startupProbe with a large failureThreshold (60 x 10 s), and liveness with timeoutSeconds of 10 and failureThreshold of 6.",
		Sources: []string{k8sProbes, pxcOperator},
		Check:   checkLiveness,
	}
}

func checkLiveness(c *Case) []Finding {
	live, startup := c.DB.Server.Value.Get("livenessProbe"), c.DB.Server.Value.Get("startupProbe")
	if !live.Exists() {
		return nil
	}
	budget := func(p manifest.Value) int64 {
		return p.Get("initialDelaySeconds").Int(0) + p.Get("periodSeconds").Int(10)*p.Get("failureThreshold").Int(3)
	}
	if script := words(live.Get("exec", "command")); strings.Contains(script, ".sh") && !strings.Contains(script, "mysql") {
		return list(unknown("the liveness probe runs %s, and what that waits for is not in the file", script))
	}
	var all []Finding
	if !startup.Exists() && budget(live) < 300 {
		all = append(all, confirmed(live.Spot(), "a start that takes longer than %d s ends in a kill: crash recovery can, and begins anew", budget(live)).
			fix("startupProbe: {tcpSocket or exec as in livenessProbe, periodSeconds: 10, failureThreshold: 60}"))
	}
	timeout := live.Get("timeoutSeconds")
	if (live.Get("exec").Exists() || live.Get("httpGet").Exists()) && timeout.Int(1)*live.Get("failureThreshold").Int(3) < 10 {
		f := confirmed(timeout.Spot(), "liveness gives the server %d s to answer and %d tries: a busy or throttled one is killed", timeout.Int(1), live.Get("failureThreshold").Int(3)).as(Warning).
			fix("timeoutSeconds: 10 and failureThreshold: 6")
		all = append(all, f.edit(timeout.Spot(), "10"))
	}
	return all
}

func words(v manifest.Value) string {
	var all []string
	for _, w := range v.Items() {
		all = append(all, w.Text())
	}
	return strings.Join(all, " ")
}
