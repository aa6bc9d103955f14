package manifest

// This file reads Kubernetes quantities with the API server's own code.

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// wellFormed keeps exponents out that the library would multiply out.
var wellFormed = regexp.MustCompile(`^[+-]?[0-9.]{1,24}([eE][+-]?[0-9]{1,2}|[KMGTPE]i|[numkMGTPE])?$`)

// Amount is a quantity of a resource: CPU in thousandths, anything else in its
// unit (bytes). Set is whether the file has one that can be read.
type Amount struct {
	Value int64
	Set   bool
	At    Value
}

// Positive is whether the amount counts: the API server ignores zeros when it
// computes the QoS class.
func (a Amount) Positive() bool { return a.Set && a.Value > 0 }

// Amount reads the value as a quantity of the resource called name. Unlike
// [Container.Request] it takes no other value's place where it cannot be read.
func (v Value) Amount(name string) Amount {
	amount, ok := Quantity(name, v.Text())
	return Amount{Value: amount, Set: ok, At: v}
}

// Quantity reads a quantity of a resource as the API server does: CPU in thousandths,
// anything else in its unit (bytes).
func Quantity(name, text string) (int64, bool) {
	text = strings.TrimSpace(text) // as UnmarshalJSON of the library does
	if !wellFormed.MatchString(text) {
		return 0, false
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, false
	}
	if name == "cpu" {
		return q.MilliValue(), true
	}
	return q.Value(), true
}

// largeExponent is one that the library would multiply out.
var largeExponent = regexp.MustCompile(`[eE][+-]?[0-9]{3,}$`)

// Refusal is what the API server says of a quantity that it cannot read. "" where it reads it, where the value is a
// placeholder or no scalar, and where it is too long to be tried.
func Refusal(v Value) string {
	text := strings.TrimSpace(v.Text())
	if !v.Exists() || v.IsMap() || v.IsList() || len(text) > 64 || largeExponent.MatchString(text) || Unresolved(text) != "" || strings.ContainsAny(text, "<$") {
		return ""
	}
	if _, err := resource.ParseQuantity(text); err != nil {
		return err.Error()
	}
	return ""
}
