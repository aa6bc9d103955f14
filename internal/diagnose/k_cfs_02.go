package diagnose

import (
	"fmt"

	"github.com/tarebench/tare/internal/manifest"
)

func kCFS02() Rule {
	return Rule{
		ID: "K-CFS-02", Title: "The server may run more threads than its CPU limit", Severity: Warning, Needs: []Need{needResources()},
		What: "The limit is a budget for every 100 ms. R busy threads use a budget of L CPUs up in 100 ms x L/R, and then all of them stand still " +
			"until the next period, also one that holds a lock others wait for.",
		Fix:     "More CPU; whole CPUs on a node that pins; no CPU limit; or fewer threads (thread_pool_size, innodb_thread_concurrency).",
		Sources: []string{k8sCM, cfsIssue},
		Check:   checkThreads,
	}
}

func checkThreads(c *Case) []Finding {
	limit, limited := c.DB.CPULimit()
	if !limited {
		return nil
	}
	if limit.Value < 1000 {
		f := confirmed(limit.At.Spot(), "a CPU limit of %s: a single busy thread stands still for %d ms of every 100 ms", manifest.CPUs(limit.Value), 100-limit.Value/10).
			fix("at least one CPU, better two, or no CPU limit").change("{cpu: 1}").propose(limit.At.Spot(), "1")
		if request := c.DB.Server.Resources.Get("requests", "cpu"); request.Amount("cpu").Value == limit.Value {
			f = f.propose(request.Spot(), "1")
		}
		return list(f)
	}
	for _, name := range []string{"thread_pool_size", "innodb_thread_concurrency"} {
		if n, s, why := c.number(name); why == "" && s.Set && n*1000 > limit.Value*2 {
			return list(confirmed(s.At, "%s=%d is more than twice the CPU limit of %s", name, n, manifest.CPUs(limit.Value)).fix("%s=%d", name, max(limit.Value/1000, 1)).
				edit(s.At, fmt.Sprint(max(limit.Value/1000, 1))))
		}
	}
	return c.elsewhere()
}
