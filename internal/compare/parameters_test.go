package compare

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// TestParameters: every value has who decided it, and a run whose servers are alike and all
// tare's has no table.
func TestParameters(t *testing.T) {
	const process, byOperator, external = "{target: process}", "{target: kubernetes, operator: perconaxtradbcluster}", "{target: external, host: a.example.com}"
	const flush, size = "mysql.variable.innodb_flush_log_at_trx_commit", "mysql.variable.innodb_buffer_pool_size"
	const capacity, file, files = "mysql.variable.innodb_redo_log_capacity", "mysql.variable.innodb_log_file_size", "mysql.variable.innodb_log_files_in_group"
	for _, tc := range []struct {
		name     string
		database string
		pod      string
		facts    []string // of the pod; bare has flush 1 and 128 MiB
		want     map[string]ParameterValue
	}{
		{"alike", "", "{target: container}", []string{flush, "1", size, "134217728"}, nil},
		{"the arm's", "", "{target: container, config: {innodb-flush-log-at-trx-commit: 0}}", []string{flush, "0"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"0", OwnerArm, ""}}},
		{"the experiment's", "innodb_buffer_pool_size: 256M", "{target: container, config: {innodb_flush_log_at_trx_commit: 2}}", []string{flush, "2", size, "268435456"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"2", OwnerArm, ""}, "innodb_buffer_pool_size": {"268435456", OwnerExperiment, ""}}},
		{"the operator's", "", byOperator, []string{flush, "0", "operator.name", "PXC", "operator.option.innodb_flush_log_at_trx_commit", "PXC"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"0", OwnerOperator, "PXC"}}},
		{"the files of the redo log", "", "{target: container, config: {innodb_flush_log_at_trx_commit: 2, innodb_log_file_size: 2G}}", []string{flush, "2", capacity, "104857600", file, "2147483648", files, "2"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"2", OwnerArm, ""}, "innodb_log_file_size": {"2147483648", OwnerArm, ""}, "innodb_log_files_in_group": {"2", OwnerServer, ""}}},
		{"the redo log's capacity", "", "{target: container, config: {innodb_flush_log_at_trx_commit: 2, innodb_redo_log_capacity: 2G}}", []string{flush, "2", capacity, "2147483648", file, "50331648", files, "2"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"2", OwnerArm, ""}, "innodb_redo_log_capacity": {"2147483648", OwnerArm, ""}}},
		{"the default capacity, set", "", "{target: container, config: {innodb_flush_log_at_trx_commit: 2, innodb_redo_log_capacity: 100M, innodb_log_file_size: 2G}}", []string{flush, "2", capacity, "104857600", file, "2147483648", files, "2"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"2", OwnerArm, ""}, "innodb_redo_log_capacity": {"104857600", OwnerArm, ""}}},
		{"reverted by the operator", "innodb_flush_log_at_trx_commit: 1", byOperator, []string{flush, "0", "operator.name", "PXC", "operator.option.innodb_flush_log_at_trx_commit", "PXC"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"0", OwnerOperator, "PXC"}}},
		{"handed on by the operator", "innodb_buffer_pool_size: 256M", byOperator, []string{size, "268435456", "operator.name", "PXC", "operator.option.innodb_buffer_pool_size", "PXC"},
			map[string]ParameterValue{"innodb_buffer_pool_size": {"268435456", OwnerExperiment, ""}}},
		{"the image's", "", byOperator, []string{flush, "2", "operator.name", "PXC", "image.option.innodb_flush_log_at_trx_commit", "percona/percona-xtradb-cluster:8.4"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"2", OwnerImage, ""}}},
		{"replication's", "", "{target: process, replication: {mode: galera}}", []string{flush, "2", "replication.option.innodb_flush_log_at_trx_commit", "2"},
			map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"2", OwnerReplication, ""}}},
		{"someone else's", "", external, []string{flush, "1"}, map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"1", OwnerForeign, ""}}},
		{"the manifests'", "", "{target: kubernetes, manifests: [a.yaml]}", []string{flush, "1"}, map[string]ParameterValue{"innodb_flush_log_at_trx_commit": {"1", OwnerManifests, ""}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := fill(planned(t, spec(6, "1%", "bare: "+process, "pod: "+tc.pod)), func(string, int) float64 { return 1000 })
			each(r, "bare", facts(flush, "1", size, "134217728"))
			each(r, "pod", facts(tc.facts...))
			r.Experiment.Database.Config = map[string]string{}
			if option, value, ok := strings.Cut(tc.database, ": "); ok {
				r.Experiment.Database.Config[option] = value
			}
			var got map[string]ParameterValue
			for _, p := range Run(r).Parameters {
				if v, ok := p.Values["pod"]; ok {
					if got == nil {
						got = map[string]ParameterValue{}
					}
					got[p.Name] = v
				}
				if bare, has := p.Values["bare"]; has && tc.database == "" && bare.Owner != OwnerServer {
					t.Errorf("%s of bare is of %q", p.Name, bare.Owner)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRedoInEffect: where the variables do not decide which of them sizes an external server's redo log,
// the capacity that its status tells does.
func TestRedoInEffect(t *testing.T) {
	for resized, want := range map[float64]string{4 << 30: "innodb_log_file_size", 100 << 20: "innodb_redo_log_capacity"} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: external, host: a.example.com}")), func(string, int) float64 { return 1000 })
		each(r, "pod", facts("mysql.variable.innodb_redo_log_capacity", "104857600", "mysql.variable.innodb_log_file_size", "2147483648"))
		each(r, "pod", func(t *record.Trial) {
			const name = "mysql.innodb_redo_log_capacity_resized"
			t.Metrics = append(t.Metrics, record.Metric{Name: name, Unit: "bytes"})
			for second := range 2 {
				t.Samples = append(t.Samples, record.Sample{At: time.Duration(second) * time.Second, Values: record.ValuesOf(values{name: resized})})
			}
		})
		var got []string
		for _, p := range Run(r).Parameters {
			got = append(got, p.Name)
		}
		if d := cmp.Diff([]string{want}, got); d != "" {
			t.Errorf("%.0f: %s", resized, d)
		}
	}
}
