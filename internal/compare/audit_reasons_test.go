package compare

// What the audit says of differences, and in which order.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/keys"
)

// The undeclared differences come first and the keys of each kind are in order; a reason names three
// of those that make the servers unequal, at most 24 characters of each value, and counts the others.
func TestAuditOrder(t *testing.T) {
	long := strings.Repeat("x", 25)
	for _, c := range []struct {
		unequal int // variables that nothing declares
		named   int
		more    string
	}{{1, 1, ""}, {3, 3, ""}, {4, 3, "[and-more n=1]"}, {5, 3, "[and-more n=2]"}} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: {target: container, config: {zed: 1, you: 1}}")),
			func(string, int) float64 { return 1000 })
		want := []string{}
		for i := range c.unequal {
			key := fmt.Sprintf("mysql.variable.a%d", i)
			want = append(want, key)
			each(r, "bare", facts(key, "1"))
			each(r, "pod", facts(key, long))
		}
		want = append(want, "mysql.variable.you", "mysql.variable.zed")
		each(r, "bare", facts("mysql.variable.zed", "0", "mysql.variable.you", "0"))
		each(r, "pod", facts("mysql.variable.zed", "1", "mysql.variable.you", "1"))
		res := Run(r)
		var got []string
		for _, d := range res.Differences {
			got = append(got, d.Key)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		said := fmt.Sprint(only(t, res).Reasons)
		if n := strings.Count(said, long[:24]+"..."); n != c.named || strings.Contains(said, long) {
			t.Errorf("%d unequal: %d are named: %s", c.unequal, n, said)
		}
		if c.more == "" && strings.Contains(said, "and-more") || !strings.Contains(said, strings.Trim(c.more, "[]")) {
			t.Errorf("%d unequal: want %q in %s", c.unequal, c.more, said)
		}
	}
	if got := shortened(long[:24]); got != long[:24] {
		t.Errorf("24 characters are %q", got)
	}
}

// TestWhyServersDiffer: a reason names who gave the variable its value. The arm's own option goes before
// the operator's, and what nothing declares of one arm is not hidden by what another arm declares.
func TestWhyServersDiffer(t *testing.T) {
	const a = "mysql.variable.a"
	operated := []string{a, "2", "operator.name", "PXC"}
	const byOperator = "{target: kubernetes, operator: perconaxtradbcluster}"
	const configured = "{target: kubernetes, operator: perconaxtradbcluster, config: {a: 2}}"
	for _, c := range []struct {
		name, pod string
		facts     []string
		all       string // of every arm, asked for by the experiment
		want      string
	}{
		{"an option of the operator's", byOperator, append(operated, "operator.option.a", "PXC"), "", "set-by-operator arm=pod operator=PXC"},
		{"the server that it runs", byOperator, operated, "", "operator-server arm=pod operator=PXC"},
		{"an option of every arm that it reverted", byOperator, append(operated, "operator.option.a", "PXC"), "1", "reverted-by-operator arm=pod asked=1 operator=PXC"},
		{"the arm's own option", configured, append(operated, "operator.option.a", "PXC"), "", "set-in-config arm=pod"},
	} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "pod: "+c.pod)), func(string, int) float64 { return 1000 })
		r.Experiment.Database.Config = map[string]string{}
		if c.all != "" {
			r.Experiment.Database.Config["a"] = c.all
		}
		each(r, "bare", facts(a, "1"))
		each(r, "pod", facts(c.facts...))
		for _, d := range Run(r).Differences {
			if d.Key == a && d.Why.String() != c.want {
				t.Errorf("%s: %s, want %s", c.name, d.Why, c.want)
			}
		}
	}
	for _, order := range [][]string{{"declared: {target: container, config: {a: 2}}", "other: {target: container}"}, {"another: {target: container}", "declared: {target: container, config: {a: 2}}"}} {
		r := fill(planned(t, spec(6, "1%", append([]string{"bare: {target: process}"}, order...)...)), func(string, int) float64 { return 1000 })
		for _, tr := range r.Trials {
			facts(a, map[bool]string{true: "1", false: "2"}[tr.Header.Arm == "bare"])(tr)
		}
		if d := Run(r).Differences; len(d) != 1 || d[0].Declared || d[0].Why.Code != "not-declared" {
			t.Errorf("%v: %+v", order, d)
		}
	}
}

// TestManifestsDeclared: objects that differ because the arms declare other manifests or patches are declared; of
// arms that declare the same, other objects were applied than the experiment says.
func TestManifestsDeclared(t *testing.T) {
	const own = "{target: kubernetes, manifests: [db.yaml], server: {service: db}"
	for name, c := range map[string]struct {
		base, pod string
		want      string
		declared  bool
	}{
		"a patch":           {own + "}", own + ", patches: [{patch: '{kind: StatefulSet}'}]}", "of-its-manifests", true},
		"other patches":     {own + ", patches: [{patch: a}]}", own + ", patches: [{patch: b}]}", "of-its-manifests", true},
		"other files":       {own + "}", "{target: kubernetes, manifests: [other.yaml], server: {service: db}}", "of-its-manifests", true},
		"another namespace": {own + "}", own + ", namespace: other}", "of-its-manifests", true},
		"the same objects":  {own + "}", own + ", clients: 1}", "declared-alike", false},
		"the same settings": {own + "}", own + "}", "declared-alike", false},
	} {
		r := fill(planned(t, spec(8, "1%", "bare: "+c.base, "pod: "+c.pod)), func(string, int) float64 { return 1000 })
		each(r, "bare", facts(keys.ManifestsSHA256, "93279b"))
		each(r, "pod", facts(keys.ManifestsSHA256, "b354bc"))
		res := Run(r)
		if d := res.Differences; len(d) != 1 || d[0].Declared != c.declared || d[0].Why.Code != c.want {
			t.Errorf("%s: %+v, want %s", name, d, c.want)
		}
		if warned := strings.Contains(fmt.Sprint(res.Warnings), keys.ManifestsSHA256); warned == c.declared {
			t.Errorf("%s: %v", name, res.Warnings)
		}
	}
}
