package diagnose

import "testing"

// TestReachedLimit: no volume does more than its limit, whatever a counter of submitted operations says.
func TestReachedLimit(t *testing.T) {
	for _, c := range []struct {
		did  float64
		want string
	}{
		{19.6, "20 of 20 write IOPS, the limit of the volume"},
		{20.3, "20 of 20 write IOPS, the limit of the volume"},
		{28.1, "28 write IOPS, more than the limit of the volume, which is 20: operations count when they are submitted"},
	} {
		if got := reached(c.did, 20, term("write IOPS"), Phrase{}).String(); got != c.want {
			t.Errorf("%.1f of 20: %q, want %q", c.did, got, c.want)
		}
	}
}
