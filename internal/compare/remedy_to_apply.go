package compare

import (
	"errors"
	"fmt"
	"math"
)

// ErrNoneKept is a run that kept none of its remedies.
var ErrNoneKept = errors.New("this run kept no remedy; `tare report` says what became of them")

// KeptRemedy is the one to write: each was measured by itself, so only one is
// known to help. The largest certain gain comes first; the others are measured
// again on top of it. With a name it is that arm's, or an error that says why not.
func (res *Result) KeptRemedy(name string) (best Remedy, err error) {
	most, kept := math.Inf(-1), false
	for _, m := range res.Remedies {
		if name != "" && m.Arm != name {
			continue
		}
		if m.Decision != Kept {
			if name != "" {
				return best, fmt.Errorf("%s is %s, not kept", m.Arm, m.Decision)
			}
			continue
		}
		if gain := m.CertainGain(); !kept || gain > most { // one without which nothing serves has no interval
			best, most = m, gain
		}
		kept = true
	}
	if !kept {
		return best, ErrNoneKept
	}
	return best, nil
}
