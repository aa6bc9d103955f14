package option

import "testing"

func TestBytes(t *testing.T) {
	for s, want := range map[string]int64{"1": 1, "16K": 16 << 10, "2g": 2 << 30, "1T": 1 << 40, "9999999999E": -1, "x": -1, "": -1, "-1": -1, "G": -1, "1.5G": -1} {
		got, ok := Bytes(s)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d, not %d", s, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		x, y string
		same bool
	}{
		{"2G", "2147483648", true}, {"2G", "2000000000", false}, {"ON", "1", true}, {"off", "FALSE", true}, {"O_DIRECT", "o_direct", true},
		{"1", "2", false}, {"ON", "OFF", false}, {"", "", true}, {"", "0", false},
	} {
		if got := Same(c.x, c.y); got != c.same {
			t.Errorf("%q and %q: %t", c.x, c.y, got)
		}
	}
}
