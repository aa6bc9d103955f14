package compare

import (
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// heldUp refuses a comparison by a client that could not keep up: what was measured
// then is the client. The gates have had such rounds run again; one that is still
// there says that the client is too small, or, on a busy machine, that others took its CPUs. Only a quota
// is the client's own limit there too.
func (j comparison) heldUp(c *Contrast, base, arm *Arm) bool {
	for _, a := range []*Arm{arm, base} {
		if n, why := a.heldUp(); n > 0 {
			slow := reason("client-saturated").count("n", n).count("of", a.count(measured)).name("arm", a.Name).part("why", why)
			if o := j.res.Others; o.Busy() && why.Code != clientQuota {
				*c = c.say(Inconclusive, o.reason(), slow)
				c.Busy = true
			} else {
				*c = c.say(Invalid, slow, reason("client-needs-cpus"))
			}
			c.Pairs = nil
			return true
		}
	}
	return false
}

// heldUp counts the measured trials in which the client could not keep up; why is what
// the last of them says.
func (a *Arm) heldUp() (n int, why Reason) {
	for _, t := range a.Trials {
		if loadFault(t) != "" && kind(t) == measured {
			n, why = n+1, clientFault(t)
		}
	}
	return n, why
}

func loadFault(t *record.Trial) string { return engineSays(t, keys.LoadInvalid) }

func engineSays(t *record.Trial, key string) string {
	for _, f := range t.Facts {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// ClientFault is why the client could not keep up in a trial; nil where it did.
func ClientFault(t *record.Trial) *Reason {
	if loadFault(t) == "" {
		return nil
	}
	why := clientFault(t)
	return &why
}

// clientQuota is the reason that a CPU quota held the client.
const clientQuota = "client-quota"

// clientFault is why the client could not keep up. Older records have the engine's sentence
// without a code.
func clientFault(t *record.Trial) Reason {
	number := func(key string) float64 {
		v, _ := strconv.ParseFloat(engineSays(t, key), 64)
		return v
	}
	switch code := engineSays(t, keys.LoadInvalidCode); {
	case code == "quota" && t.Window != nil:
		of := number(keys.LoadThrottledOfS)
		if of == 0 { // an older record
			of = t.Window.Seconds
		}
		return reason(clientQuota).num("held", number(keys.LoadThrottledS)).num("of", of)
	case code == "busy":
		return reason("client-busy").num("share", 100*number(keys.LoadBusiestLoop))
	case code == "late":
		return reason("client-late").num("ms", number(keys.LoadLatenessP99MS))
	}
	return reason("client-said").name("text", loadFault(t))
}
