package manifest

import (
	"strings"
	"testing"
)

func TestPatch(t *testing.T) {
	const text = "kind: Experiment\narms:\n  block: # one\n    target: container # two\n    cpu: \"500m\"   # three\n    config:\n      a: 1\n" +
		"  flow: {target: container, cpu: 500m, config: {a: 1}}\n  empty: {}\n  base: &b {target: container, cpu: 1}\n  merged:\n    <<: *b\n    memory: 1Gi\n  alias: *b\n"
	for _, c := range []struct{ arm, patch, old, want string }{
		{"block", "{cpu: max}", `"500m"   # three`, `"max"   # three`},
		{"block", "{memory: \"2Gi\"}", "    target: container # two", "    memory: \"2Gi\"\n    target: container # two"},
		{"block", "{config: {a: 2, b: x}}", "      a: 1", "      b: x\n      a: 2"},
		{"block", "{cpu: null, gone: null}", `"500m"`, `null`},
		{"flow", "{cpu: max, volume: tmpfs}", "{target: container, cpu: 500m,", "{volume: tmpfs, target: container, cpu: max,"},
		{"flow", "{config: {b: 2}}", "{a: 1}", "{b: 2, a: 1}"},
		{"flow", "{network: {plugin: bridge}}", "{target: container, cpu: 500m", "{network: {plugin: bridge}, target: container, cpu: 500m"},
		{"empty", "{cpu: 1}", "empty: {}", "empty: {cpu: 1}"},
		{"empty", "{cpu: 1, config: {b: 2}}", "empty: {}", "empty: {cpu: 1, config: {b: 2}}"},
		{"block", "{memory: 2, volume: tmpfs}", "    target: container # two", "    memory: 2\n    volume: tmpfs\n    target: container # two"},
		{"merged", "{cpu: 2}", "    <<: *b", "    cpu: 2\n    <<: *b"},
		{"base", "{cpu: 2}", "", "write cpu: 2 there by hand"},
		{"alias", "{cpu: 2}", "", "write cpu: 2 there by hand"},
		{"block", "{config: 3}", "", "by hand"},
		{"nobody", "{cpu: 2}", "", "not there"},
		{"block", "[x]", "", "not a mapping"},
	} {
		set, _ := Read([]Source{{Name: "e.yaml", Text: []byte(text)}}, nil)
		edits, err := set.Objects[0].Value.Get("arms", c.arm).Patch(c.patch)
		if c.old == "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: %v, want %s", c.arm, c.patch, err, c.want)
			}
			continue
		}
		got, _, applied := set.Files[0].Apply(edits)
		want := strings.Replace(text, c.old, c.want, 1)
		if c.arm == "flow" && strings.Contains(c.patch, "config") {
			at := strings.Index(text, "flow:")
			want = text[:at] + strings.Replace(text[at:], c.old, c.want, 1)
		}
		if err != nil || applied != nil || string(got) != want {
			t.Errorf("%s %s: %v %v\n%s\nwant\n%s", c.arm, c.patch, err, applied, got, want)
		}
	}
}
