package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// Hypothesis is a claim about one arm that the experiment tests against the baseline.
type Hypothesis struct {
	// Claim is the sentence that the report judges, in the words of the experiment.
	Claim string `yaml:"claim"`
	Arm   string `yaml:"arm"`
	// Expect is what the claim says of the arm's throughput.
	Expect string `yaml:"expect"`
}

// What Hypothesis.Expect can be.
const (
	Slower    = "slower"     // than the baseline, by more than the margin hides
	Faster    = "faster"     // than the baseline, likewise
	Alike     = "equivalent" // to the baseline, within the margin
	mostClaim = 200          // characters
)

// hypotheses says which of them the experiment cannot test.
func (c *checker) hypotheses() {
	for i, h := range c.e.Hypotheses {
		at := fmt.Sprintf("hypotheses[%d]", i)
		c.want(strings.TrimSpace(h.Claim) != "", at, "the claim is missing; add, for example, claim: a redo log of 100 MB is slower")
		c.want(len([]rune(h.Claim)) <= mostClaim && !strings.ContainsAny(h.Claim, "\n\r"), at+".claim", "expected one line of at most %d characters", mostClaim)
		c.want(slices.Contains([]string{Slower, Faster, Alike}, h.Expect), at+".expect", "expected %s, %s or %s (than, or to, the baseline)", Slower, Faster, Alike)
		_, known := c.e.Arm(h.Arm)
		c.want(known, at+".arm", "unknown arm %q; write the arm that is compared with the baseline", h.Arm)
		c.want(h.Arm == "" || h.Arm != c.e.Baseline, at+".arm", "%s is the baseline; write the arm that is compared with it", h.Arm)
	}
}
