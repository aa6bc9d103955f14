package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
)

func kCFS02() Rule {
	return Rule{
		ID: "K-CFS-02", Title: "CPU limit below the number of busy threads: CFS throttling", Severity: Warning, Needs: []Need{needResources()},
		What: "A CPU limit of L CPUs is a quota of L x 100 ms in each CFS period of 100 ms. R busy threads use it up after 100 ms x L/R. All of them are " +
			"then throttled until the next period, including a thread that holds a lock.",
		Impact: "Stalls of up to 100 ms in each period: high p95 and p99 latency, and lower throughput.",
		Fix: "Raise the CPU limit, or use whole CPUs on a node with the static CPU manager (no CFS quota from Kubernetes 1.33 on), or remove the CPU limit, or reduce the threads " +
			"of a thread pool (thread_pool_size).",
		Sources: []string{k8sCM, cfsIssue, quotaPinned},
		Check:   checkThreads,
		Run:     limitOfPod,
		Written: true,
	}
}

// limitOfPod judges the CPU limit that is written in the pod, where the counters of its cgroup, which C-CPU-01 judges,
// were not read. A server under load has a busy thread; whether it has two, its CPU time would tell.
func limitOfPod(o *Observed) []Finding {
	limit, limited, ok := podCPULimit(o.Arm)
	_, _, throttling := o.Arm.Throttled()
	if _, counted := rate(o.Arm, keys.CgroupCPUNrPeriods); counted || throttling || o.Arm.Unlimited() || !ok || isLive(o.Arm) { // the resource of a watched pod is checked as it is written
		return nil
	}
	milli := int64(math.Round(limit * 1000))
	switch {
	case !limited:
		return list(ruledOut("its pod has no CPU limit"))
	case milli < 1000:
		return list(seen("its pod has a CPU limit of %s: one busy thread is throttled for %d ms of every 100 ms; the CPU time and the throttling of this server were not read", manifest.CPUs(milli), 100-milli/10).liftsQuota(o))
	case milli < 2000:
		return list(unknown("its pod has a CPU limit of %s: two busy threads are throttled for %d ms of every 100 ms; the CPU time and the throttling of this server were not read", manifest.CPUs(milli), 100-milli/20))
	}
	return list(unknown("its pod has a CPU limit of %s; the CPU time and the throttling of this server were not read", manifest.CPUs(milli)))
}

// podCPULimit is the CPU limit that is written in the arm's pods; ok is false where the record has none of their settings,
// and limited where they have no limit.
func podCPULimit(arm *compare.Arm) (limit float64, limited, ok bool) {
	text, ok := fact(arm, keys.PodCPULimit)
	if !ok || text == "none" {
		return 0, false, ok
	}
	return amount(text)
}

// amount is a number of CPUs as Kubernetes writes it.
func amount(text string) (limit float64, limited, ok bool) {
	number, milli := strings.CutSuffix(text, "m")
	limit, err := strconv.ParseFloat(number, 64)
	if milli {
		limit /= 1000
	}
	return limit, err == nil && limit > 0, err == nil
}

func checkThreads(c *Case) []Finding {
	limit, limited := c.DB.CPULimit()
	if !limited {
		return nil
	}
	if limit.Value < 1000 {
		f := confirmed(limit.At.Spot(), "a CPU limit of %s: one busy thread is throttled for %d ms of every 100 ms", manifest.CPUs(limit.Value), 100-limit.Value/10).
			fix("set a CPU limit and request of at least 1, better 2, or no limit").change("{cpu: 1}").propose(limit.At.Spot(), "1")
		if request := c.DB.Server.Resources.Get("requests", "cpu"); request.Amount("cpu").Value == limit.Value {
			f = f.propose(request.Spot(), "1")
		}
		return list(f)
	}
	if f := c.largeThreadPool(limit); len(f) > 0 {
		return f
	}
	if limit.Value < 2000 {
		return list(hint(limit.At.Spot(), "a CPU limit of %s: two busy threads are throttled for %d ms of every 100 ms", manifest.CPUs(limit.Value), 100-limit.Value/20).as(Note).
			fix("set a CPU limit and request of at least 2, or no limit, if the server has more than one busy thread"))
	}
	return c.elsewhere()
}

// largeThreadPool is a pool of more threads than twice the CPUs. Each group of a pool runs about one thread at a time;
// without a pool the size has no effect.
func (c *Case) largeThreadPool(limit manifest.Amount) []Finding {
	if handling, ok := c.DB.Option("thread_handling"); !ok || handling.Value != "pool-of-threads" {
		return nil
	}
	if n, s, why := c.number("thread_pool_size"); why.empty() && s.Set && n*1000 > limit.Value*2 {
		fewer := max(limit.Value/1000, 1)
		return list(confirmed(s.At, "thread_pool_size=%d is more than twice the CPU limit of %s", n, manifest.CPUs(limit.Value)).fix("thread_pool_size=%d", fewer).
			change("{config: {thread_pool_size: %d}}", fewer).propose(s.At, fmt.Sprint(fewer)))
	}
	return nil
}
