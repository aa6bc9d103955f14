package diagnose

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kOPS04() Rule {
	return Rule{
		ID: "K-OPS-04", Title: "Probes act too soon: during crash recovery, or after one late answer", Severity: Error, Risk: true, Needs: []Need{needPod()},
		What: "After a crash InnoDB applies the redo log before the server accepts connections, which takes minutes with a large redo log. A throttled " +
			"server misses short timeouts. Without a startup probe the liveness probe kills the server, with a short one the startup probe does, and the recovery starts again. " +
			"With failureThreshold: 1 a single late answer is enough: the liveness probe restarts the server, the readiness probe takes it out of its Service.",
		Impact:  "A restart loop: the server never becomes available. With failureThreshold: 1, one late answer causes a restart with an empty buffer pool, or leaves clients without a server.",
		Fix:     "Add a startupProbe with a high failureThreshold (60 x 10 s). Set timeoutSeconds: 10 and failureThreshold: 6 for liveness, and failureThreshold: 3 for readiness.",
		Sources: []string{k8sProbes, pxcOperator},
		Check:   checkProbes,
	}
}

// recovery is a time in seconds that crash recovery with a large redo log takes.
const recovery = 300

func checkProbes(c *Case) []Finding { return append(checkLiveness(c), checkReadiness(c)...) }

// checkReadiness finds a probe for which one late answer is enough. Of several servers that can be wanted: the others answer.
func checkReadiness(c *Case) []Finding {
	ready := c.DB.Server.Value.Get("readinessProbe")
	tries := ready.Get("failureThreshold")
	if !ready.Exists() || tries.Int(3) != 1 {
		return nil
	}
	f := confirmed(tries.Spot(), "readiness probe with failureThreshold 1: one late answer takes the server out of its Service").fix("failureThreshold: 3 in readinessProbe")
	if c.DB.Replicas > 1 {
		f.Verdict = Hint
		return list(f.as(Note).leave(term("failureThreshold stays as it is: with several servers it can be wanted that one of them is taken out at once")))
	}
	return list(f.as(Warning).edit(tries.Spot(), "3"))
}

func checkLiveness(c *Case) []Finding {
	live, startup := c.DB.Server.Value.Get("livenessProbe"), c.DB.Server.Value.Get("startupProbe")
	if !live.Exists() {
		return nil
	}
	// The first try is after the delay, and the last one may take its timeout.
	budget := func(p manifest.Value) int64 {
		return p.Get("initialDelaySeconds").Int(0) + p.Get("periodSeconds").Int(10)*(p.Get("failureThreshold").Int(3)-1) + p.Get("timeoutSeconds").Int(1)
	}
	if script := words(live.Get("exec", "command")); strings.Contains(script, ".sh") && !strings.Contains(script, "mysql") {
		return list(unknown("the liveness probe runs %s; the files do not show what it checks", script))
	}
	var all []Finding
	if startup.Exists() && budget(startup) < recovery {
		all = append(all, confirmed(startup.Spot(), "the startup probe kills the server if it starts more slowly than in %d s; crash recovery can take longer", budget(startup)).
			fix("startupProbe: {periodSeconds: 10, failureThreshold: 60}").
			leave(term("the startupProbe stays as it is: how many tries it needs depends on how long the server takes to start after a crash: `kubectl logs POD` has the times of its starts")))
	}
	if !startup.Exists() && budget(live) < recovery {
		all = append(all, confirmed(live.Spot(), "the liveness probe kills the server if it starts more slowly than in %d s; crash recovery can take longer", budget(live)).
			fix("startupProbe: {tcpSocket or exec as in livenessProbe, periodSeconds: 10, failureThreshold: 60}").
			leave(term("no startupProbe is added: how many tries it needs depends on how long the server takes to start after a crash: `kubectl logs POD` has the times of its starts")))
	}
	timeout := live.Get("timeoutSeconds")
	switch tries := live.Get("failureThreshold"); {
	case (live.Get("exec").Exists() || live.Get("httpGet").Exists()) && timeout.Int(1)*tries.Int(3) < 10:
		enough := max(tries.Int(3), 6)
		f := confirmed(timeout.Spot(), "liveness probe with timeoutSeconds %d and failureThreshold %d: a busy or throttled server is killed", timeout.Int(1), tries.Int(3)).as(Warning).
			fix("timeoutSeconds: 10 and failureThreshold: %d in livenessProbe", enough)
		all = append(all, f.patch(live, fmt.Sprintf("{timeoutSeconds: 10, failureThreshold: %d}", enough)))
	case tries.Int(3) == 1:
		all = append(all, confirmed(tries.Spot(), "liveness probe with failureThreshold 1: one late answer restarts the server").as(Warning).
			fix("failureThreshold: 6 in livenessProbe").edit(tries.Spot(), "6"))
	}
	if script := words(live.Get("exec", "command")); readsTable.MatchString(script) {
		all = append(all, confirmed(live.Get("exec", "command").Spot(), "the liveness probe reads a table: a long statement, a lock or a busy server makes it fail, and the server is killed").as(Warning).
			fix("mysqladmin ping or a tcpSocket as liveness probe; the statement as readinessProbe, if at all"))
	}
	return all
}

// readsTable is a statement that reads more than a variable.
var readsTable = regexp.MustCompile(`(?i)\bselect\b.+\bfrom\b`)

func words(v manifest.Value) string {
	var all []string
	for _, w := range v.Items() {
		all = append(all, w.Text())
	}
	return strings.Join(all, " ")
}
