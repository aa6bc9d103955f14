package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestSlowerLink: traffic over the slower of two cards is a warning, and its speed is that of
// the link; over the faster one it is none, and a speed that is not known says nothing.
func TestSlowerLink(t *testing.T) {
	for used, want := range map[string]string{"eno1": "slower-link mbit=1000 most=10000 arm=a faster=ens1f0 interface=eno1", "ens1f0": "", "veth0": ""} {
		r := fill(planned(t, spec(4, "1%", "bare: {target: process}", "a: {target: container}")), func(string, int) float64 { return 1000 })
		each(r, "a", func(trial *record.Trial) {
			add := func(key, value, phase string) {
				trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: value, Phase: phase})
			}
			for _, name := range []string{"eno1", "ens1f0", "veth0"} {
				add("interface."+name+".bytes", "1000", "start")
				add("interface."+name+".bytes", map[bool]string{true: "900000", false: "2000"}[name == used], "end")
			}
			add("interface.eno1.mbit_per_s", "1000", "start")
			add("interface.ens1f0.mbit_per_s", "10000", "start")
		})
		res := Run(r)
		i := slices.IndexFunc(res.Warnings, func(w Reason) bool { return w.Code == "slower-link" })
		switch {
		case want == "" && i >= 0:
			t.Errorf("%s: %v", used, res.Warnings[i])
		case want != "" && (i < 0 || res.Warnings[i].String() != want):
			t.Errorf("%s: %v", used, res.Warnings)
		}
		if perSecond, source := res.Arms[1].linkCapacity(); used == "eno1" && (perSecond != 1e9/8 || source != "link") {
			t.Errorf("capacity %v from %q", perSecond, source)
		}
		for _, d := range res.Differences {
			if strings.HasPrefix(d.Key, "interface.") && !d.Declared {
				t.Errorf("%s is an undeclared difference", d.Key)
			}
		}
	}
}
