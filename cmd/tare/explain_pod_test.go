package main

import (
	"slices"
	"strings"
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

// TestMemoryLimitOfAPod: a buffer pool that the pod's memory limit does not hold is found where nobody may read its cgroup.
func TestMemoryLimitOfAPod(t *testing.T) {
	pod, err := lintPod("pod shop/db-0", []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: db-0}\nspec:\n  containers:\n  - {name: mysql, image: 'mysql:8.4', resources: {limits: {memory: 1Gi}}}\n"),
		map[string]string{"innodb_buffer_pool_size": "1073741824", "sync_binlog": "0"})
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, f := range pod {
		rules = append(rules, f.Rule)
	}
	if !slices.Contains(rules, "M-BP-02") || slices.Contains(rules, "M-DUR-02") { // the watching has the durability
		t.Errorf("found %v", rules)
	}
}

// TestExperimentForThePod: the command that explain names is not one that refuses the pod's volume.
func TestExperimentForThePod(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: db-0}\nspec:\n  containers:\n" +
		"  - {name: mysql, image: 'mysql:8.4', volumeMounts: [{name: data, mountPath: DIR}]}\n  volumes: [{name: data, VOLUME}]\n"
	o := watchOptions{}
	o.pod.at.Namespace = "shop"
	const manifests, own = "tare init --manifests FILE_OR_DIR -n shop", "tare init --kubernetes -n shop --database 'mysql:8.4'"
	for _, c := range []struct{ dir, volume, datadir, want string }{
		{"/var/lib/mysql", "persistentVolumeClaim: {claimName: data-db-0}", "/var/lib/mysql/", manifests},
		{"/var/lib/mysql", "persistentVolumeClaim: {claimName: data-db-0}", "", manifests},
		{"/data", "persistentVolumeClaim: {claimName: data-db-0}", "/data/", manifests},
		{"/var/lib/mysql", "persistentVolumeClaim: {claimName: data-db-0}", "/data/", own},
		{"/var/lib/mysql", "emptyDir: {}", "/var/lib/mysql/", own},
		{"/var/lib/mysql", "hostPath: {path: /srv/db}", "/var/lib/mysql/", own},
	} {
		text := strings.NewReplacer("DIR", c.dir, "VOLUME", c.volume).Replace(pod)
		if got := o.measuring([]byte(text), map[string]string{"datadir": c.datadir}); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
