package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reason is why a verdict is what it is, or what a reader must know beside it: a code
// with typed arguments, and no sentence. internal/report makes the sentence, in every
// language from one table.
type Reason struct {
	// Code is the key of the sentence: "reason.<code>" in internal/report/language.
	Code string `json:"code"`
	// Numbers are counts, percentages and probabilities, in the unit that the sentence
	// names.
	Numbers map[string]float64 `json:"numbers,omitempty"`
	// Names are what was given a name elsewhere: arms, settings, directories, and messages
	// of other programs. They are the same in every language.
	Names map[string][]string `json:"names,omitempty"`
	// Parts are reasons within this one.
	Parts map[string][]Reason `json:"parts,omitempty"`
}

func reason(code string) Reason { return Reason{Code: code} }

// num is the reason with one number more.
func (r Reason) num(name string, v float64) Reason {
	r.Numbers = with(r.Numbers, name, v)
	return r
}

// count is num for a whole number.
func (r Reason) count(name string, n int) Reason { return r.num(name, float64(n)) }

// name is the reason with one name, or a list of them, more.
func (r Reason) name(name string, of ...string) Reason {
	r.Names = with(r.Names, name, of)
	return r
}

// part is the reason with others inside it.
func (r Reason) part(name string, of ...Reason) Reason {
	r.Parts = with(r.Parts, name, of)
	return r
}

// with copies the map: a reason is a value, and two may have begun as one.
func with[V any](m map[string]V, key string, v V) map[string]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]V{}
	}
	m[key] = v
	return m
}

// String is for tests and debuggers; no view shows it.
func (r Reason) String() string {
	var b strings.Builder
	b.WriteString(r.Code)
	for _, k := range slices.Sorted(maps.Keys(r.Numbers)) {
		fmt.Fprintf(&b, " %s=%g", k, r.Numbers[k])
	}
	for _, k := range slices.Sorted(maps.Keys(r.Names)) {
		fmt.Fprintf(&b, " %s=%s", k, strings.Join(r.Names[k], ","))
	}
	for _, k := range slices.Sorted(maps.Keys(r.Parts)) {
		fmt.Fprintf(&b, " %s=%v", k, r.Parts[k])
	}
	return b.String()
}
