package experiment

import (
	"strings"
	"testing"
)

const ofOneMachine = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: one}
database: {path: /usr/sbin/mysqld, config: {innodb_buffer_pool_size: 1G}}
load: {workload: oltp_read_only, threads: [4, 8]}
protocol: {rounds: 8, seed: 1}
baseline: bare
arms:
  bare: {target: process, price: 1/h}
  pod: {target: container, resources: {limits: {cpu: 2}}}
`

// TestDifferenceOfPaths: each machine has its files in a directory of its own.
func TestDifferenceOfPaths(t *testing.T) {
	const text = "{ca: DIRca.pem, manifests: [DIRone, DIRtwo], patches: [{path: DIRp.yaml}], config: {socket: /run/x}}"
	for _, c := range []struct{ other, key string }{
		{strings.ReplaceAll(text, "DIR", "/b/"), ""},
		{strings.ReplaceAll(strings.Replace(text, "DIRtwo", "/b/three", 1), "DIR", "/b/"), "arms.a.manifests[1]"},
		{strings.ReplaceAll(strings.Replace(text, "/run/x", "/other/x", 1), "DIR", "/b/"), "arms.a.config.socket"},
	} {
		var of []*Experiment
		for _, arm := range []string{strings.ReplaceAll(text, "DIR", "/a/"), c.other} {
			e, _ := Parse("x.yaml", []byte("arms:\n  a: "+arm+"\n"))
			of = append(of, e)
		}
		if key, _, _, err := Difference(of[0], of[1]); err != nil || key != c.key {
			t.Errorf("%s: %q, %v", c.other, key, err)
		}
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct{ from, to, key, was, is string }{
		{"", "", "", "", ""},
		{"rounds: 8, seed: 1", "rounds: 12, seed: 7, aa: false", "", "", ""},
		{"/usr/sbin/mysqld", "/opt/mysqld", "", "", ""},
		{"price: 1/h", "price: 2/h", "", "", ""},
		{"cpu: 2", "cpu: 3", "arms.pod.resources.limits.cpu", "2", "3"},
		{"[4, 8]", "[4, 16]", "load.threads[1]", "8", "16"},
		{"1G", "2G", "database.config.innodb_buffer_pool_size", "1G", "2G"},
		{"baseline: bare", "baseline: pod", "baseline", "bare", "pod"},
		{"name: one", "name: other", "metadata.name", "one", "other"},
		{"  bare:", "  third: {target: process}\n  bare:", "arms.third.target", "", "process"},
	} {
		var of [2]*Experiment
		for i, text := range []string{ofOneMachine, strings.Replace(ofOneMachine, c.from, c.to, 1)} {
			e, err := Parse("experiment.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			of[i] = e
		}
		key, was, is, err := Difference(of[0], of[1])
		if err != nil {
			t.Fatal(err)
		}
		if key != c.key || was != c.was || is != c.is {
			t.Errorf("%s -> %s: %s, %q, %q", c.from, c.to, key, was, is)
		}
		if back, _, _, err := Difference(of[1], of[0]); err != nil || back != c.key {
			t.Errorf("%s -> %s, turned: %s, %v", c.from, c.to, back, err)
		}
	}
}
