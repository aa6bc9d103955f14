package compare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What comes with a server that the experiment declares makes no comparison invalid; what the experiment asks of
// all servers and one has not, or what differs between servers that nobody declared, still does.
func TestServersOfTheirOwn(t *testing.T) {
	const (
		two    = "bare: {target: process}\n  pod: {target: process, database: {rootfs: /srv/b}}"
		images = "bare: {target: kubernetes, image: mysql:8.0}\n  pod: {target: kubernetes, image: mysql:8.4}"
		told   = "two-releases n=2 arm=pod other=bare others=8.0.40 version=8.4.3"
	)
	for name, tc := range map[string]struct {
		arms, asked string
		invalid     bool
		told        []string
	}{
		"rootfs of its own":       {two, "", false, []string{told}},
		"images of two pods":      {images, "", false, []string{told}},
		"asked of all":            {two, "sort_area", true, []string{told}},
		"one source, two targets": {"bare: {target: process}\n  pod: {target: container}", "", true, nil},
		"process and pod":         {"bare: {target: process}\n  pod: {target: kubernetes, image: mysql:8.4}", "", true, nil},
		"the same source": {"bare: {target: process, database: {rootfs: /srv/b}}\n  pod: {target: container, database: {rootfs: /srv/b}}",
			"", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			yaml := spec(8, "1%", tc.arms)
			if tc.asked != "" {
				yaml = strings.Replace(yaml, "innodb_buffer_pool_size", tc.asked, 1)
			}
			r := fill(planned(t, yaml), func(string, int) float64 { return 1000 })
			each(r, "bare", facts("mysql.variable.version", "8.0.40", "mysql.variable.sort_area", "1", "server.sha256", "aa", "data.sha256", "cc"))
			each(r, "pod", facts("mysql.variable.version", "8.4.3", "mysql.variable.sort_area", "2", "server.sha256", "bb", "data.sha256", "dd"))
			res := Run(r)
			if got := only(t, res).Verdict == Invalid; got != tc.invalid {
				t.Errorf("invalid is %v: %v, %+v", got, only(t, res).Reasons, res.Differences)
			}
			var said []string
			for _, w := range res.Warnings {
				if w.Code == "two-releases" {
					said = append(said, w.String())
				}
			}
			if d := cmp.Diff(tc.told, said); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestOptionsOfManifests: an option that one arm's patched manifests set is declared, and so is what the server computes
// from it. A variable that no manifests set still makes the comparison invalid, as does one of manifests that are the same,
// or of a server that has none.
func TestOptionsOfManifests(t *testing.T) {
	const patched = "bare: {target: kubernetes, manifests: [a.yaml]}\n  pod: {target: kubernetes, manifests: [a.yaml], patches: [{patch: '{}'}]}"
	const set = "manifests.option."
	for name, c := range map[string]struct {
		arms, facts, variable string
		invalid               bool
		why                   string
	}{
		"set":                  {patched, set + "max_connections", "max_connections", false, "set-by-manifests arm=pod"},
		"set otherwise":        {patched, set + "sort_buffer_size", "sort_buffer_size", false, "set-by-manifests arm=pod"},
		"computed":             {patched, set + "max_connections", "host_cache_size", false, "derived-from-option option=max_connections"},
		"not set":              {patched, set + "max_connections", "sort_buffer_size", true, "not-declared"},
		"computed of none":     {patched, set + "sort_buffer_size", "host_cache_size", true, "not-declared"},
		"the same manifests":   {"bare: {target: kubernetes, manifests: [a.yaml], namespace: a}\n  pod: {target: kubernetes, manifests: [a.yaml], namespace: b}", set + "sort_buffer_size", "sort_buffer_size", true, "not-declared"},
		"beside a bare server": {"bare: {target: process}\n  pod: {target: kubernetes, manifests: [a.yaml]}", set + "sort_buffer_size", "sort_buffer_size", true, "not-declared"},
	} {
		r := fill(planned(t, spec(8, "1%", c.arms)), func(string, int) float64 { return 1000 })
		each(r, "bare", facts("mysql.variable.max_connections", "151", "mysql.variable."+c.variable, "1"))
		each(r, "pod", facts("mysql.variable.max_connections", "300", "mysql.variable."+c.variable, "2", c.facts, "manifests"))
		res := Run(r)
		if got := only(t, res).Verdict == Invalid; got != c.invalid {
			t.Errorf("%s: invalid is %v: %v", name, got, only(t, res).Reasons)
		}
		for _, d := range res.Differences {
			if d.Key == "mysql.variable."+c.variable && d.Why.String() != c.why {
				t.Errorf("%s: %s is %s, want %s", name, d.Key, d.Why, c.why)
			}
			if strings.HasPrefix(d.Key, set) {
				t.Errorf("%s: %s is a difference", name, d.Key)
			}
		}
	}
}
