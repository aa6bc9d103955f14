package node

import (
	"encoding"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestCPURead(t *testing.T) {
	for text, want := range map[string]CPU{
		"500m": 500, "1.5": 1500, "2": 2000, "0.001": 1, "0": 0, "max": MaxCPU, "56": 56000, ".5": 500, "55750m": 55750,
	} {
		var got CPU
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "m", ".", "-1", "1e3", "0.0005", "1.5m", "2 ", "two", "MAX", "1/2", "1_000", "0x10",
		"9223372036854775808m", "9223372036854775807m", strings.Repeat("1", 1000),
	} {
		got := CPU(7)
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %d", text, got)
		} else if !strings.Contains(err.Error(), "500m") || got != 7 {
			t.Errorf("%q: value %d, error %q does not say what to write", text, got, err)
		}
	}
}

func TestBytesRead(t *testing.T) {
	for text, want := range map[string]Bytes{
		"1Gi": 1 << 30, "512Mi": 512 << 20, "1G": 1e9, "1.5Gi": 3 << 29, "0.5Ki": 512, "1073741824": 1 << 30,
		"0": 0, "1k": 1000, "7Ei": 7 << 60, "1E": 1e18, "2Ti": 2 << 40, "3P": 3e15,
	} {
		var got Bytes
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Gi", "512m", "1.5", "8Ei", "-1Gi", "1GB", "1gi", "1K", "1e3", "1 Gi", "max", "0.1Ki"} {
		var got Bytes
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %d", text, got)
		} else if !strings.Contains(err.Error(), "512Mi") {
			t.Errorf("%q: error %q does not say what to write", text, err)
		}
	}
}

func TestQuantityString(t *testing.T) {
	got := []string{
		CPU(2000).String(), CPU(1500).String(), CPU(55750).String(), MaxCPU.String(), CPU(0).String(),
		Bytes(1 << 30).String(), Bytes(1e9).String(), Bytes(1536 << 20).String(), Bytes(1).String(), Bytes(0).String(),
	}
	want := []string{"2", "1500m", "55750m", "max", "0", "1Gi", "1G", "1536Mi", "1", "0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The arms' fields are read through the spec's YAML library, as numbers and as
// strings.
func TestNeighbourYAML(t *testing.T) {
	var got Neighbour
	if err := yaml.Unmarshal([]byte("{cpu: 1.5, memory: 1Gi, request: 100m, memoryRequest: '512'}"), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Neighbour{CPU: 1500, Memory: 1 << 30, Request: 100, MemoryRequest: 512}, got); d != "" {
		t.Error(d)
	}
}

func FuzzCPU(f *testing.F) {
	for _, s := range []string{"500m", "1.5", "2", "max", "0.001", "", "1e3", "-1", "..", "9223372036854775807m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var c, again CPU
		roundTrip(t, s, &c, &again)
		if c != again || c < 0 {
			t.Errorf("%q: read %d, written and read again %d", s, c, again)
		}
	})
}

func FuzzBytes(f *testing.F) {
	for _, s := range []string{"1Gi", "512Mi", "1G", "1.5Gi", "7Ei", "0", "512m", "..", "1E3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var v, again Bytes
		roundTrip(t, s, &v, &again)
		if v != again || v < 0 {
			t.Errorf("%q: read %d, written and read again %d", s, v, again)
		}
	})
}

// roundTrip reads s into a value and, if it can be read, what that writes into
// another.
func roundTrip(t *testing.T, s string, v, again interface {
	encoding.TextUnmarshaler
	encoding.TextMarshaler
}) {
	if v.UnmarshalText([]byte(s)) != nil {
		return
	}
	text, err := v.MarshalText()
	if err == nil {
		err = again.UnmarshalText(text)
	}
	if err != nil {
		t.Errorf("%q was read and written as %q, which cannot be read: %v", s, text, err)
	}
}
