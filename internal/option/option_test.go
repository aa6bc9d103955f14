package option

import "testing"

// TestLives: a release has an option from the one that added it until the one that removed
// it.
func TestLives(t *testing.T) {
	for _, c := range []struct {
		name           string
		in             Release
		added, removed bool
	}{
		{"innodb_redo_log_capacity", Release{8, 0, 29}, false, false},
		{"innodb_redo_log_capacity", Release{8, 0, 30}, true, false},
		{"innodb_redo_log_capacity", Release{9, 7, 4}, true, false},
		{"innodb_log_file_size", Release{9, 6, 9}, true, false},
		{"innodb_log_file_size", Release{9, 7, 0}, true, true},
		{"query_cache_size", Release{5, 7, 44}, true, false},
		{"query_cache_size", Release{8, 0, 0}, true, true},
		{"skip_host_cache", Release{8, 4, 0}, true, true},
		{"skip_host_cache", Release{8, 3, 0}, true, false},
		{"server_memory", Release{8, 4, 13}, false, false},
	} {
		l, ok := Of(c.name)
		if !ok || l.Added(c.in) != c.added || l.Removed(c.in) != c.removed {
			t.Errorf("%s in %v: %+v, want added %t, removed %t", c.name, c.in, l, c.added, c.removed)
		}
	}
	if l, ok := Of("max_connections"); ok {
		t.Errorf("%+v", l)
	}
}

// TestEveryOptionIsThereOnce: a second entry of a name would never be read.
func TestEveryOptionIsThereOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range lives {
		if seen[l.Name] || l.Since == (Release{}) && l.Until == (Release{}) {
			t.Errorf("%+v is there twice or says nothing", l)
		}
		seen[l.Name] = true
	}
}
