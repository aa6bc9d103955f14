package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func mQC01() Rule {
	return Rule{
		ID: "M-QC-01", Title: "The query cache is on", Severity: Warning, Needs: []Need{needAny()},
		What: "MySQL before 8.0 and MariaDB can keep the results of SELECT statements. One mutex protects them, each SELECT takes it, and each write to a table " +
			"removes all results that read from the table. With several CPUs and with writes, connections wait for the mutex (Waiting for query cache lock).",
		Impact:  "Throughput that does not rise with more CPUs, and stalls of all connections while results are removed, the longer the larger the cache.",
		Fix:     "Set query_cache_type=0 and query_cache_size=0, and measure the effect: a load of the same few SELECT statements on tables that are not written to can become slower.",
		Sources: []string{mysqlQueryCache, "MariaDB documentation, Query Cache: https://mariadb.com/docs/server/ha-and-performance/optimization-and-tuning/buffers-caches-and-threads/query-cache"},
		Check:   checkQueryCache,
	}
}

func checkQueryCache(c *Case) []Finding {
	if _, refused := c.refusal("query_cache_type"); refused { // M-VER-01 says so
		return nil
	}
	kind, set := c.DB.Option("query_cache_type")
	if !set {
		return c.elsewhere()
	}
	if manifest.IsOff(kind.Value) || strings.EqualFold(kind.Value, "DEMAND") || kind.Value == "2" {
		return nil
	}
	says := hint(kind.Spot, "query_cache_type=%s: each SELECT and each write takes the mutex of the query cache", kind.Value)
	if size, set := c.DB.Option("query_cache_size"); set {
		n, ok := c.DB.Size(size)
		switch {
		case ok && n == 0:
			return nil
		case ok:
			says = hint(kind.Spot, "query_cache_type=%s, with %s: each SELECT and each write takes the mutex of the query cache", kind.Value, manifest.Size(n))
		}
	}
	says = says.fix("query_cache_type=0 and query_cache_size=0").change(`{config: {query_cache_type: "0", query_cache_size: "0"}}`).propose(kind.Spot, "0")
	if size, set := c.DB.Option("query_cache_size"); set {
		says = says.propose(size.Spot, "0")
	}
	return list(says)
}
