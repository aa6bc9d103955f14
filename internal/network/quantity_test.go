package network

import (
	"encoding"
	"fmt"
	"testing"
)

// TestQuantities: what is read is written back the same, and what is none is
// refused.
func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		into interface {
			encoding.TextUnmarshaler
			fmt.Stringer
		}
		text, want string // "" where it is refused
	}{
		{new(Rate), "1Gbit", "1Gbit"}, {new(Rate), "2.5gbit", "2.5Gbit"}, {new(Rate), "100Mbit", "100Mbit"},
		{new(Rate), "1000kbit", "1Mbit"}, {new(Rate), "1", ""}, {new(Rate), "Gbit", ""}, {new(Rate), "-1Gbit", ""},
		{new(Rate), "100Gbit", ""}, {new(Rate), "NaNbit", ""}, {new(Rate), "", ""},
		{new(Delay), "200us", "200µs"}, {new(Delay), "1.5ms", "1.5ms"}, {new(Delay), "-1ms", ""}, {new(Delay), "2s", ""}, {new(Delay), "5", ""},
		{new(Loss), "0.1%", "0.1%"}, {new(Loss), "50%", "50%"}, {new(Loss), "51%", ""}, {new(Loss), "0.1", ""}, {new(Loss), "NaN%", ""},
	} {
		err := c.into.UnmarshalText([]byte(c.text))
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%q was read as %v", c.text, c.into)
		case c.want != "" && (err != nil || c.into.String() != c.want):
			t.Errorf("%q was read as %v, error %v; want %s", c.text, c.into, err, c.want)
		}
	}
}

// FuzzQuantities: no text makes a reader panic, and what one has read it reads
// again.
func FuzzQuantities(f *testing.F) {
	for _, text := range []string{"1Gbit", "200us", "0.1%", "", "bit", "1e9bit"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r, again Rate
		if r.UnmarshalText([]byte(text)) == nil && (again.UnmarshalText([]byte(r.String())) != nil || again != r) {
			t.Errorf("%q is %d, written %s, read %d", text, r, r, again)
		}
		_ = new(Delay).UnmarshalText([]byte(text))
		_ = new(Loss).UnmarshalText([]byte(text))
	})
}
