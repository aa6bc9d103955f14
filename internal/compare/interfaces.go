package compare

// This file finds the interface that an arm's traffic used, and warns of a faster one beside
// it: two network plugins of the second study used the 1 Gbit/s network of nodes with one of
// 10 Gbit/s.

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
)

// usedInterface is the interface of the server's namespace that carried most over all
// trials; mbit is 0 where its speed is not known. faster is another that has a higher speed,
// "" for none.
func (a *Arm) usedInterface() (name string, mbit float64, faster string, fasterMbit float64) {
	bytes, speeds := map[string]float64{}, map[string]float64{}
	for _, t := range a.Trials {
		for key, change := range t.Changes() {
			if of, ok := interfaceOf(key, ".bytes"); ok {
				bytes[of] += change
			}
		}
		for _, f := range t.Facts {
			if of, ok := interfaceOf(f.Key, ".mbit_per_s"); ok {
				if v, err := strconv.ParseFloat(f.Value, 64); err == nil {
					speeds[of] = v
				}
			}
		}
	}
	for of, n := range bytes {
		if n > bytes[name] || n == bytes[name] && n > 0 && of < name {
			name = of
		}
	}
	mbit = speeds[name]
	for of, v := range speeds {
		if mbit > 0 && v > mbit && (v > fasterMbit || v == fasterMbit && of < faster) {
			faster, fasterMbit = of, v
		}
	}
	return name, mbit, faster, fasterMbit
}

func interfaceOf(key, suffix string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(key, keys.InterfacePrefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, suffix)
}

// slowerLinks warns of each arm whose traffic used a slower interface than another of the
// same node.
func slowerLinks(arms []Arm) []Reason {
	var all []Reason
	for i := range arms {
		a := &arms[i]
		if name, mbit, faster, most := a.usedInterface(); faster != "" {
			all = append(all, reason("slower-link").name("arm", a.Name).name("interface", name).num("mbit", mbit).name("faster", faster).num("most", most))
		}
	}
	return all
}
