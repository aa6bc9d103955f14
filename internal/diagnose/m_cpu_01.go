package diagnose

import (
	"fmt"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func mCPU01() Rule {
	return Rule{
		ID: "M-CPU-01", Title: "Thread counts are sized for the node, not for the CPU limit", Severity: Warning,
		What: "The server counts the CPUs it may run on. A CPU limit is a quota and does not reduce them (MySQL 9.3 to 9.5, and from 9.6 on with container_aware=ON, read it). A pod with a limit of 2 on a node with 64 CPUs " +
			"sizes its threads for 64, and these threads use up the quota at once.",
		Impact:  "More throttling and context switches; memory for threads that cannot run.",
		Fix:     "Set the thread counts in the configuration to match the CPU limit; or use exclusive CPUs, which the server does see.",
		Sources: []string{mysqlContainers, mysqlInnoDB, measured},
		Run:     threadsOfNode,
	}
}

// cpuLimit is the CPU limit of the arm's cgroup, or else of its pod; limited is false where it has none, and ok where
// neither its cgroup, which counts periods also without a limit, nor the settings of its pod were read.
func cpuLimit(arm *compare.Arm) (limit float64, limited, ok bool) {
	limit, _, limited = level(arm, keys.CgroupCPULimit)
	if _, ok = rate(arm, keys.CgroupCPUNrPeriods); !ok {
		return podCPULimit(arm)
	}
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
	read := 0
	for _, name := range []string{"innodb_read_io_threads", "innodb_page_cleaners", "innodb_purge_threads", "innodb_parallel_read_threads", "thread_pool_size"} {
		v, ok := variable(o.Arm, name)
		if name == "thread_pool_size" {
			if handling, _ := fact(o.Arm, keys.MySQLVariablePrefix+"thread_handling"); handling != "pool-of-threads" {
				continue // without a pool its size means nothing
			}
		}
		if ok {
			read++
		}
		if ok && v > fits {
			over = append(over, fmt.Sprintf("%s=%.0f", name, v))
			change = append(change, fmt.Sprintf("%s: %.0f", name, math.Ceil(limit)))
		}
	}
	if read == 0 {
		return unread("the thread counts of the server")
	}
	if len(over) == 0 {
		return list(ruledOut("no thread count above %.0f with a CPU limit of %.3g", fits, limit))
	}
	return list(seen("%s with a CPU limit of %.3g", strings.Join(over, ", "), limit).fix("set thread counts that match the CPU limit").change("{config: {%s}}", strings.Join(change, ", ")))
}
