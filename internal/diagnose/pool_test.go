package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"
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

// TestProposedPoolFits: the buffer pool that C-BP-01 proposes for a running server is one that M-BP-02 accepts for the
// same settings in files.
func TestProposedPoolFits(t *testing.T) {
	const group = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
	for _, c := range []struct {
		version, limit string
		options        map[string]string
	}{
		{"8.4.5", "3Gi", map[string]string{"innodb_buffer_pool_size": "1073741824", "group_replication_message_cache_size": "1073741824", "group_replication_group_name": group}},
		{"8.4.5", "4Gi", map[string]string{"innodb_buffer_pool_size": "1073741824", "group_replication_message_cache_size": "1073741824", "group_replication_group_name": group}},
		{"8.4.5", "3Gi", map[string]string{"innodb_buffer_pool_size": "1073741824", "performance_schema_events_statements_history_long_size": "300000"}},
		{"9.7.4", "1536Mi", map[string]string{"innodb_buffer_pool_size": "268435456", "max_connections": "500"}},
		{"11.8.9-MariaDB", "2Gi", map[string]string{"innodb_buffer_pool_size": "536870912", "performance_schema": "ON", "query_cache_type": "ON", "query_cache_size": "268435456"}},
		{"10.4.34-MariaDB", "3Gi", map[string]string{"innodb_buffer_pool_size": "536870912", "performance_schema": "ON", "max_connections": "500"}},
		{"8.4.5", "6Gi", map[string]string{"innodb_buffer_pool_size": "1073741824"}},
	} {
		facts, file := said{keys.MySQLVariablePrefix + "version": c.version}, "[mysqld]\n"
		for name, value := range c.options {
			facts[keys.MySQLVariablePrefix+name] = value
		}
		product, version, err := manifest.ParseServer(c.version)
		if err != nil {
			t.Fatal(err)
		}
		limit, ok := manifest.Quantity("memory", c.limit)
		if !ok {
			t.Fatal(c.limit)
		}
		arm := seenBy{level: nums{keys.CgroupMemoryLimitBytes: float64(limit)}, facts: facts}.arm("x")
		size, larger, known := largerPool(arm)
		if !known {
			t.Fatalf("%s: no buffer pool", c.version)
		}
		if larger <= size { // no buffer pool is proposed
			continue
		}
		for name, value := range c.options {
			if name != "innodb_buffer_pool_size" {
				file += name + "=" + value + "\n"
			}
		}
		file += fmt.Sprintf("innodb_buffer_pool_size=%.0f\n", larger)
		if facts[keys.MySQLVariablePrefix+"group_replication_group_name"] != "" {
			limit -= 1 << 30 // the message cache: of an option file it is not known whether the server joins the group
		}
		set := readAll(t, manifest.Source{Name: "my.cnf", Text: []byte(file)})
		for _, f := range Lint(set, Facts{Assumed: manifest.Assumed{Product: product, Version: version, Memory: limit, MilliCPU: 2000}}, Rules()).Findings {
			if f.Rule == "M-BP-02" && (f.Verdict == Confirmed || f.Verdict == Hint) {
				t.Errorf("%s with a limit of %s: a buffer pool of %.0f MiB is proposed: %s", c.version, c.limit, larger/(1<<20), f.Says)
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
	for rule, want := range map[string]Verdict{"M-BP-01": Unknown, "M-BP-02": Unknown, "M-VER-01": Hint, "M-CPU-02": Unknown} {
		if alone[rule] != want {
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
