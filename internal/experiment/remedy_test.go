package experiment

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const remedied = `
apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: shop}
database: {config: {innodb_buffer_pool_size: 0x10000000, init_connect: "set @a=1, @b='x: y'"}}
protocol: {rounds: 6, seed: 18446744073709551615}
baseline: throttled
arms:
  throttled: &t
    target: container
    cpu: 500m # half a CPU
    config: {innodb_redo_log_capacity: 100M}
    neighbour: {cpu: 1}
remedies:
  cpu: {rule: K-CFS-02, finding: "throttled in 80 % of periods", change: {cpu: max, neighbour: null}}
  redo: {rule: M-REDO-01, change: {config: {innodb_redo_log_capacity: 2G}}}
`

// The arms of remedies are the baseline with their change.
func TestRemedies(t *testing.T) {
	e, err := Parse("shop.yaml", []byte(remedied))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"throttled": "{target: container, cpu: 500m, config: {innodb_redo_log_capacity: 100M}, neighbour: {cpu: 1}}",
		"cpu":       "{target: container, cpu: max, config: {innodb_redo_log_capacity: 100M}}",
		"redo":      "{target: container, cpu: 500m, config: {innodb_redo_log_capacity: 2G}, neighbour: {cpu: 1}}",
	}
	got := map[string]string{}
	for _, a := range e.Arms {
		got[a.Name] = a.Settings()
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	redo, _ := e.Arm("redo")
	if redo.Config["innodb_redo_log_capacity"] != "2G" || redo.Target != "container" {
		t.Errorf("%+v", redo)
	}
	if r, ok := e.Remedy("cpu"); !ok || r.Change() != "{cpu: max, neighbour: null}" || r.Finding != "throttled in 80 % of periods" {
		t.Errorf("%+v %s", r, r.Change())
	}
	if laid, err := e.Arms[0].Laid("{cpu: null, config: {x: 1}}"); err != nil ||
		laid != "{target: container, config: {innodb_redo_log_capacity: 100M, x: 1}, neighbour: {cpu: 1}}" {
		t.Errorf("%s, %v", laid, err)
	}
}

func TestRemediesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"remedies: [cpu]":                                      "expected remedies",
		"remedies: {cpu: {rule: X}}":                           "the change is missing",
		"remedies: {cpu: {change: {cpu: max}}}":                "the rule is missing",
		"remedies: {cpu: {rule: X, change: max}}":              "the settings of an arm",
		"remedies: {cpu: {rule: X, chance: {}}}":               "did you mean change?",
		"remedies: {throttled: {rule: X, change: {cpu: max}}}": "already",
		"remedies: {cpu: {rule: X, change: {cpu: max}}}\nattribute: {from: throttled, layers: {q: {cpu: 1}}}": "exclude each other",
	} {
		head, _, _ := strings.Cut(remedied, "remedies:")
		if _, err := Parse("shop.yaml", []byte(head+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A derived experiment means what the first one meant, in new arms.
func TestDerive(t *testing.T) {
	e, err := Parse("shop.yaml", []byte(remedied))
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.Derive(Derived{
		Name: "shop-2", Opening: []string{"Written by a test."},
		Arms:     []DerivedArm{{"old", e.Arms[0].Settings()}, {"new", e.Arms[1].Settings()}},
		Remedies: []DerivedRemedy{{"io", "M-IO-02", `says "two: words", # and more`, "{config: {innodb_flush_method: O_DIRECT}}"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("shop-2.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(e.Database, got.Database); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(e.Protocol, got.Protocol); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"old", "new", "io"}, got.Arms.Names()); d != "" || got.Baseline != "old" || got.Metadata.Name != "shop-2" {
		t.Errorf("%s\n%s", d, text)
	}
	if r, _ := got.Remedy("io"); r.Finding != `says "two: words", # and more` {
		t.Errorf("%q", r.Finding)
	}
	if !strings.HasPrefix(string(text), "# Written by a test.\n") {
		t.Errorf("%s", text)
	}
	for _, a := range got.Arms {
		again, err := Parse("again", text)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := again.Arm(a.Name); b.Settings() != a.Settings() {
			t.Errorf("%s, %s", a.Settings(), b.Settings())
		}
	}
	more, err := e.Derive(Derived{Name: "more", Rounds: 9, Arms: []DerivedArm{{"a", "{target: process}"}, {"b", "{target: process}"}}})
	if err != nil || !strings.Contains(string(more), "protocol: {rounds: 9, seed: 18446744073709551615}") {
		t.Errorf("%v\n%s", err, more)
	}
	if _, err := e.Derive(Derived{Name: "x"}); err == nil {
		t.Error("an experiment without arms")
	}
}

// TestWithOthers: the limit of the command line is in the text that is kept, and the other fields stay.
func TestWithOthers(t *testing.T) {
	for _, protocol := range []string{"", "protocol: {rounds: 3, warmup: 2s, othersCPU: 5%}\n", "protocol:\n  measure: 7s   # long\n"} {
		e, err := Parse("shop.yaml", []byte(regexp.MustCompile(`(?m)^protocol:.*\n`).ReplaceAllString(remedied, "")+protocol))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := e.WithOthers(0.99)
		if err != nil {
			t.Fatalf("%s: %v", protocol, err)
		}
		got, err := Parse("shop.yaml", changed.Source)
		if err != nil {
			t.Fatalf("%v\n%s", err, changed.Source)
		}
		want, limit := e.Protocol, Percent(0.99)
		want.OthersCPU = &limit
		if d := cmp.Diff(want, got.Protocol); d != "" || e.NoProtocol() != (protocol == "") || got.NoProtocol() {
			t.Errorf("%s: no protocol %t, then %t: %s", protocol, e.NoProtocol(), got.NoProtocol(), d)
		}
	}
}

// TestWithRounds: only the number of rounds differs, whatever it was before.
func TestWithRounds(t *testing.T) {
	for _, protocol := range []string{"", "protocol: {rounds: 3, warmup: 2s, measure: 4s}\n", "protocol: {rounds: {pilot: 6, max: 40}, precision: 1%}\n", "protocol:\n  measure: 7s   # long\n"} {
		e, err := Parse("shop.yaml", []byte(regexp.MustCompile(`(?m)^protocol:.*\n`).ReplaceAllString(remedied, "")+protocol))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := e.WithRounds(9)
		if err != nil {
			t.Fatalf("%s: %v", protocol, err)
		}
		got, err := Parse("shop.yaml", changed.Source)
		if err != nil {
			t.Fatalf("%v\n%s", err, changed.Source)
		}
		want := e.Protocol
		want.Rounds = Rounds{Pilot: 9, Max: 9}
		if d := cmp.Diff(want, got.Protocol); d != "" || got.Protocol.Rounds.Stopping() != Fixed {
			t.Errorf("%s: %s", protocol, d)
		}
		if d := cmp.Diff(e.Arms.Names(), got.Arms.Names()) + cmp.Diff(e.Load.Threads, got.Load.Threads) + cmp.Diff(e.Data.Rows, got.Data.Rows); d != "" || e.Arms[0].Settings() != got.Arms[0].Settings() {
			t.Errorf("%s: %s", protocol, d)
		}
	}
}
