package capture

import "testing"

// TestOfTare: what tare does with its own tables is no workload.
func TestOfTare(t *testing.T) {
	for text, want := range map[string]bool{
		"UPDATE `tare_bench` . `tare_lease` SET `renewed` = ?": true,
		"CREATE TABLE `tare_bench` . `tare_owner` (...)":       true,
		"SELECT `c` FROM `sbtest1` WHERE `id` = ?":             false,
	} {
		if ofTare(text) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
	if one, two := countOf(1), countOf(2); one != "1 statement" || two != "2 statements" {
		t.Errorf("%s, %s", one, two)
	}
}
