package diagnose

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
)

// TestPool: the pool fits below its limit with the parts beside it, and the limit that
// is suggested for a pool is the smallest step in which it fits.
func TestPool(t *testing.T) {
	for _, limit := range []int64{1 << 30, 1536 << 20, 4 << 30, 64 << 30} {
		for _, connections := range []int64{151, 600} {
			s := memory.Server{Major: 8, LogBuffer: 16 << 20, PerformanceSchema: true, Large: true, Connections: connections, Sort: 256 << 10, Join: 256 << 10}
			s.BufferPool = pool(s, limit)
			if most := memory.Of(s).Most(); s.BufferPool > limit/4*3 || s.BufferPool > 0 && most > limit {
				t.Errorf("limit %s, %d connections: a pool of %s, with which the server needs %s", manifest.Size(limit), connections, manifest.Size(s.BufferPool), manifest.Size(most))
			}
			if needs := limitFor(s); memory.Of(s).Most() > needs || memory.Of(s).Most() <= needs-(256<<20) {
				t.Errorf("a pool of %s with %d connections: limit %s", manifest.Size(s.BufferPool), connections, manifest.Size(needs))
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
