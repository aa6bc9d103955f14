package diagnose

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/manifest"
)

// TestPool: the pool fits below its limit with the parts beside it, and the limit that
// is suggested for a pool is the smallest step that gives this pool.
func TestPool(t *testing.T) {
	for _, c := range []struct{ limit, connections, want int64 }{
		{1 << 30, 151, 128 << 20}, {1536 << 20, 151, 640 << 20}, {4 << 30, 151, 2944 << 20}, {4 << 30, 2000, 640 << 20}, {64 << 30, 151, 48 << 30},
	} {
		got := pool(c.limit, c.connections)
		if got != c.want {
			t.Errorf("limit %s, %d connections: pool %s, want %s", manifest.Size(c.limit), c.connections, manifest.Size(got), manifest.Size(c.want))
		}
		for _, size := range []int64{got, got * 2} {
			limit := limitFor(size, c.connections)
			if pool(limit, c.connections) < size || limit > 1<<30 && pool(limit-chunk, c.connections) >= size {
				t.Errorf("a pool of %s with %d connections: limit %s gives %s, one step less %s", manifest.Size(size), c.connections, manifest.Size(limit),
					manifest.Size(pool(limit, c.connections)), manifest.Size(pool(limit-chunk, c.connections)))
			}
		}
	}
}

// TestOptionFileWithFacts: what the command line says of a server decides rules that an
// option file alone leaves open, and stands back where the files say it.
func TestOptionFileWithFacts(t *testing.T) {
	set := func() *manifest.Set {
		return readAll(t, manifest.Source{Name: "my.cnf", Text: []byte("[mysqld]\nmax_connections=151\nquery_cache_size=0\n")})
	}
	verdicts := func(f Facts) map[string]Verdict {
		all := map[string]Verdict{}
		for _, finding := range Lint(set(), f, Rules()).Findings {
			all[finding.Rule] = finding.Verdict
		}
		return all
	}
	alone := verdicts(Facts{})
	for _, rule := range []string{"M-BP-01", "M-BP-02", "M-VER-01", "M-CPU-02"} {
		if alone[rule] != Unknown {
			t.Errorf("%s of an option file alone is %q", rule, alone[rule])
		}
	}
	product, version, err := manifest.ParseServer("8.0")
	if err != nil {
		t.Fatal(err)
	}
	told := verdicts(Facts{Assumed: manifest.Assumed{Product: product, Version: version, Memory: 1536 << 20, MilliCPU: 2000}})
	for rule, want := range map[string]Verdict{"M-BP-01": Confirmed, "M-VER-01": Confirmed, "M-CPU-02": Hint, "M-BP-02": ""} {
		if told[rule] != want {
			t.Errorf("%s with a version and limits is %q, want %q", rule, told[rule], want)
		}
	}
	for rule := range told {
		if strings.HasPrefix(rule, "K-QOS") || strings.HasPrefix(rule, "K-MEM") {
			t.Errorf("%s is about a pod, and there is none", rule)
		}
	}
}
