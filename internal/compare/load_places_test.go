package compare

import (
	"fmt"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/record"
)

// TestLoadPlaces: arms that were loaded from different places carry a warning with each
// place and its arms; arms of one place, and records that do not say, carry none.
func TestLoadPlaces(t *testing.T) {
	const pods = "pods of cluster https://10.0.0.1:6443"
	for name, c := range map[string]struct {
		from map[string]string
		want string
	}{
		"one place":     {map[string]string{"bare": pods, "a": pods, "b": pods}, ""},
		"not said":      {nil, ""},
		"two places":    {map[string]string{"bare": pods, "a": "this host", "b": pods}, "load-places places=[load-place arms=b,bare place=" + pods + " load-place arms=a place=this host]"},
		"said by a few": {map[string]string{"bare": pods, "a": "this host"}, "load-places places=[load-place arms=bare place=" + pods + " load-place arms=a place=this host]"},
	} {
		r := fill(planned(t, spec(6, "1%", "bare: {target: external}", "a: {target: external, host: a}", "b: {target: external, host: b}")),
			func(string, int) float64 { return 1000 })
		for arm, place := range c.from {
			each(r, arm, func(tr *record.Trial) {
				tr.Facts = append(tr.Facts, record.Fact{Key: keys.LoadFrom, Value: place, Phase: "start"})
			})
		}
		res := Run(r)
		got := ""
		for _, w := range res.Warnings {
			if w.Code == "load-places" {
				got += w.String()
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, contrast := range res.Contrasts {
			if contrast.Verdict == Invalid {
				t.Errorf("%s: %s is invalid: %v", name, contrast.Arm, fmt.Sprint(contrast.Reasons))
			}
		}
	}
}
