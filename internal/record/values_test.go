package record

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSamplesShareNames(t *testing.T) {
	var read []Sample
	var names []string
	for i := range 3 {
		values := map[string]float64{"b": float64(i), "a": -1.5e9}
		if i == 2 {
			delete(values, "b")
		}
		line, err := json.Marshal(Line{Sample: &Sample{At: time.Duration(i), Warmup: i == 0, Values: ValuesOf(values)}})
		if err != nil {
			t.Fatal(err)
		}
		s, ok := plainSample(append(line, '\n'), names)
		if !ok || s.At != time.Duration(i) || s.Warmup != (i == 0) {
			t.Fatalf("%s: %v %+v", line, ok, s)
		}
		read, names = append(read, s), s.Values.names
	}
	if &read[0].Values.names[0] != &read[1].Values.names[0] {
		t.Error("the names are held twice")
	}
	if _, there := read[2].Values.Of("b"); there {
		t.Error("a reading that was not taken is there")
	}
	if v, ok := read[1].Values.Of("b"); !ok || v != 1 {
		t.Errorf("b = %v, %v", v, ok)
	}
}

// Whatever the short way takes, the general decoder takes as well, for the same.
func FuzzPlainSample(f *testing.F) {
	for _, s := range []string{
		`{"sample":{"at_ns":5,"values":{"a":1,"b":-2.5e3}}}`, `{"sample":{"at_ns":5,"warmup":true,"values":{}}}`,
		`{"sample":{"at_ns":5,"values":{"a":01}}}`, `{"sample":{"at_ns":5,"values":{"a":1.}}}`, `{"sample":{"at_ns":5,"values":{"a":1,"a":2}}}`,
		`{"sample":{"at_ns":5,"values":{"a":Inf}}}`, `{"sample":{"at_ns":5,"values":{"a\u0041":0x1}}}`, `{"sample":{"at_ns":1_0,"values":{"a":1e999}}}`,
		`{"sample":{"at_ns":-0,"values":{"b":1,"a":2}}}`, "{\"sample\":{\"at_ns\":5,\"values\":{\"\xff\":1}}}", `{"sample":{"at_ns":5,"values":{"a":-}}}`,
		`{"sample":{"at_ns":5,"values":{"a":9007199254740993,"b":-0.30000000000000004}}}`, `{"sample":{"at_ns":5,"values":{"a":0.1,"b":00.5}}}`,
		`{"sample":{"at_ns":5,"values":{"a":12345678901234567.8,"b":.5}}}`, `{"sample":{"at_ns":5,"values":{"a":1.2.3}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s, ok := plainSample([]byte(line+"\n"), []string{"a", "b"})
		if !ok {
			return
		}
		var l Line
		if err := strictUnmarshal([]byte(line), &l); err != nil || l.Sample == nil {
			t.Fatalf("%q is not a sample: %v", line, err)
		}
		if diff := cmp.Diff(*l.Sample, s, cmp.Comparer(func(a, b Values) bool {
			return cmp.Equal(collect(a), collect(b))
		})); diff != "" {
			t.Errorf("%q (-general +plain):\n%s", line, diff)
		}
	})
}

func collect(v Values) map[string]float64 {
	m := map[string]float64{}
	for name, reading := range v.All() {
		m[name] = reading
	}
	return m
}
