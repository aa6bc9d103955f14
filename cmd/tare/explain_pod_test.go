package main

import (
	"testing"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
)

// TestSettingsOfAPodOnce: what the server's variables and the resource of its pod both show is one finding.
func TestSettingsOfAPodOnce(t *testing.T) {
	rules, err := lintRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{"skip_name_resolve": "OFF", "innodb_buffer_pool_size": "134217728"}
	live, err := lintRunning(manifest.Running{Name: "db-0", Version: "8.4.3", Variables: variables}, nil, rules)
	if err != nil {
		t.Fatal(err)
	}
	pod, err := lintPod("pod shop/db-0", []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: db-0}\nspec:\n  containers:\n  - {name: mysql, image: 'mysql:8.4', resources: {limits: {cpu: 300m}}}\n"), variables)
	if err != nil {
		t.Fatal(err)
	}
	found := func(all []diagnose.Finding, rule string) (n int) {
		for _, f := range all {
			if f.Rule == rule && f.Found() {
				n++
			}
		}
		return n
	}
	if found(live.Findings, "K-DNS-01") != 1 || found(pod, "K-DNS-01") != 1 || found(pod, "K-CFS-02") != 1 {
		t.Fatalf("the server: %+v\nits pod: %+v", live.Findings, pod)
	}
	all := withOthers(live.Findings, pod)
	for _, rule := range []string{"K-DNS-01", "K-CFS-02"} {
		if n := found(all, rule); n != 1 {
			t.Errorf("%s is said %d times", rule, n)
		}
	}
}
