package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOtherPods: an arm whose pod ran with a CPU limit that the arm does not ask for is named, with the limit; the
// comparison stands, and so does one whose pods are as asked for.
func TestOtherPods(t *testing.T) {
	const arms = "bare: {target: kubernetes, image: m, cpu: 300m}\n  pod: {target: kubernetes, image: m, cpuRequest: 300m}"
	for name, c := range map[string]struct {
		pod  []string
		want []string
	}{
		"as asked":       {[]string{"pod.cpu.limit", "none"}, nil},
		"with a default": {[]string{"pod.cpu.limit", "500m", "pod.asked.cpu.limit", "none"}, []string{"other-pod arm=pod what=[other-pod-value asked=none key=pod.cpu.limit value=500m]"}},
	} {
		r := fill(planned(t, spec(8, "1%", arms)), func(string, int) float64 { return 1000 })
		each(r, "bare", facts("pod.cpu.limit", "300m"))
		each(r, "pod", facts(c.pod...))
		res := Run(r)
		var said []string
		for _, w := range res.Warnings {
			if w.Code == "other-pod" {
				said = append(said, w.String())
			}
		}
		if d := cmp.Diff(c.want, said); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if len(res.Differences) != 1 || res.Differences[0].Key != "pod.cpu.limit" || only(t, res).Verdict != Equivalent {
			t.Errorf("%s: %+v, %+v", name, res.Differences, only(t, res))
		}
	}
}
