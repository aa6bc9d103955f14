package diagnose

import (
	"fmt"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/compare"
)

func mCPU01() Rule {
	return Rule{
		ID: "M-CPU-01", Title: "Thread counts follow the node's CPUs, not the limit", Severity: Warning,
		What: "A server counts the CPUs it may run on. A CPU limit is a budget of time and takes none of them away, so a pod with a limit of 2 on a node " +
			"of 64 sizes its threads for 64, and they use up the budget at once.",
		Fix:     "The counts in the configuration, after the limit; or whole CPUs of its own, which the server does see.",
		Sources: []string{mysqlInnoDB, measured},
		Run:     threadsOfNode,
	}
}

// cpuLimit is the CPU limit of the arm's cgroup; limited is false where it has none,
// and ok where its cgroup, which counts periods also without a limit, was not read.
func cpuLimit(arm *compare.Arm) (limit float64, limited, ok bool) {
	limit, _, limited = level(arm, "cgroup.cpu.limit")
	_, ok = rate(arm, "cgroup.cpu.nr_periods")
	return limit, limited, ok
}

// threadsOfNode compares counts that the server may derive from CPUs with the
// limit; 4 is the least default of most of them.
func threadsOfNode(o *Observed) []Finding {
	limit, limited, ok := cpuLimit(o.Arm)
	if !ok {
		return unread("the CPU limit of its cgroup")
	}
	if !limited {
		return list(ruledOut("no CPU limit"))
	}
	fits := math.Max(4, 2*math.Ceil(limit))
	var over, change []string
	for _, name := range []string{"innodb_read_io_threads", "innodb_page_cleaners", "innodb_purge_threads", "innodb_parallel_read_threads", "thread_pool_size"} {
		v, ok := variable(o.Arm, name)
		if name == "thread_pool_size" {
			if handling, _ := fact(o.Arm, variablePrefix+"thread_handling"); handling != "pool-of-threads" {
				continue // without a pool its size means nothing
			}
		}
		if ok && v > fits {
			over = append(over, fmt.Sprintf("%s=%.0f", name, v))
			change = append(change, fmt.Sprintf("%s: %.0f", name, math.Ceil(limit)))
		}
	}
	if len(over) == 0 {
		return list(ruledOut("none of its thread counts is above %.0f with a CPU limit of %.3g", fits, limit))
	}
	return list(seen("%s with a CPU limit of %.3g", strings.Join(over, ", "), limit).fix("counts after the limit").change("{config: {%s}}", strings.Join(change, ", ")))
}
