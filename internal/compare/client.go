package compare

import "github.com/tarebench/tare/internal/record"

// invalidLoad is the key under which an engine says that it was itself what
// limited a trial: saturated, throttled or late. sysbench does not know, and
// says nothing.
const invalidLoad = "load.invalid"

// heldUp refuses a comparison by a client that could not keep up: what was measured
// then is the client. The gates have had such rounds run again; one that is still
// there says that the client is too small.
func (j comparison) heldUp(c *Contrast, base, arm *Arm) bool {
	for _, a := range []*Arm{arm, base} {
		if n, why := a.heldUp(); n > 0 {
			*c = c.say(Invalid, reason("client-saturated").count("n", n).count("of", a.count(measured)).name("arm", a.Name).name("why", why), reason("client-needs-cpus"))
			c.Pairs = nil
			return true
		}
	}
	return false
}

// heldUp counts the measured trials in which the client could not keep up; why is what
// the last of them says.
func (a *Arm) heldUp() (n int, why string) {
	for _, t := range a.Trials {
		if reason := loadFault(t); reason != "" && kind(t) == measured {
			n, why = n+1, reason
		}
	}
	return n, why
}

func loadFault(t *record.Trial) string {
	for _, f := range t.Facts {
		if f.Key == invalidLoad {
			return f.Value
		}
	}
	return ""
}
