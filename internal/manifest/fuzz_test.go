package manifest

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
)

// use does what lint does with a set, short of the rules.
func use(s *Set) {
	for _, d := range s.Databases() {
		if d.Pod != nil {
			d.Pod.QoS()
			d.Pod.Requests("cpu")
		}
		d.BufferPool()
		d.DataClaim()
		for _, o := range d.Config.Options {
			d.Size(o)
		}
	}
	NodeOf(s)
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"{apiVersion: v1, kind: Pod, metadata: {name: db}, spec: {containers: [{name: mysql, image: 'mysql:8.4', resources: {limits: {cpu: 1, memory: 1Gi}}}]}}",
		"a: &a [x]\nb: *a\n", "kind: List\nitems:\n- &x {kind: List, items: [*x]}\n", "---\n---\n", "- 1\n", "kind: Pod\nspec: 3\n",
		"kind: Pod\nspec: {containers: [7, [], {image: {}, args: x, volumeMounts: {}}]}\n",
		"kind: ConfigMap\ndata:\n  my.cnf: |\n    [mysqld]\n    a=1\n  b.cnf: >-\n    [mysqld]\n    b=2\n",
		"kind: Pod\nspec:\n  <<: &m {containers: [{image: mysql}]}\n", "x: {{ .Values.y }}\n", "\xff\xfe", "a: 1e999999999\n", "\ufeffkind: Pod\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, problems := Read([]Source{{Name: "f.yaml", Text: text}}, nil)
		use(set)
		for _, p := range problems {
			if p.Line < 1 || p.Line > bytes.Count(text, []byte("\n"))+2 {
				t.Errorf("a problem at line %d of %d", p.Line, bytes.Count(text, []byte("\n"))+1)
			}
		}
	})
}

// FuzzOptionFile also holds every option's place against the text: an edit
// there must replace the value and nothing else.
func FuzzOptionFile(f *testing.F) {
	for _, s := range []string{
		"[mysqld]\ninnodb-buffer-pool-size = 4G # most\nskip-name-resolve\nloose_x='a b'\n!include other.cnf\n", "[", "[]\n=\n", "x", "[mysqld]\na=\"\\\"\n",
		"[mysqld]\r\nport=3306\r\n", "[m\n[mysqld]a=1\n b = 'x'y'\n", "!include x\n!includedir /etc\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, _ := Read([]Source{{Name: "f.cnf", Text: text}}, func(string) ([]byte, error) { return nil, errors.New("none") })
		use(set)
		if len(set.Objects) == 0 { // a file of another program
			return
		}
		for _, o := range set.Objects[0].options.Options {
			if o.Spot.start < 0 || o.Spot.end > len(text) || o.Spot.start > o.Spot.end {
				t.Errorf("%s lies outside of the file: %+v", o.Name, o.Spot)
			}
			if !o.Spot.CanEdit() {
				continue
			}
			out, n, err := set.Files[0].Apply([]Edit{{At: o.Spot, Text: "Z"}})
			if err != nil || n != 1 || len(out) != len(text)-(o.Spot.end-o.Spot.start)+1 {
				t.Errorf("edit of %s: %d, %v", o.Name, n, err)
			}
		}
	})
}

// TestBombs: what is built to exhaust a reader is read in bounded memory, or
// refused.
func TestBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 30; i++ {
		at := "*a" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		if i == 1 {
			at = "*a0"
		}
		name := "a" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		laughs.WriteString(name + ": &" + name + " [" + strings.Repeat(at+",", 9) + at + "]\n")
	}
	laughs.WriteString("kind: List\nitems: *a29\n")
	for name, text := range map[string]string{
		"laughs":     laughs.String(),
		"deep flow":  strings.Repeat("[", 1<<20),
		"deep block": strings.Repeat("- ", 1<<19),
		"documents":  strings.Repeat("---\nkind: Pod\n", 1<<17),
		"large":      "kind: Pod\nx: " + strings.Repeat("y", MaxSize-100),
		"too large":  strings.Repeat("x: y\n", MaxSize/5+1),
		"lists":      "kind: List\nitems: &i\n- {kind: List, items: *i}\n- {kind: List, items: *i}\n",
		"options":    "kind: ConfigMap\ndata:\n  my.cnf: |\n    [mysqld]\n" + strings.Repeat("    a=1\n", 1<<17),
		"merges":     "kind: Pod\nspec:\n  <<: [" + strings.Repeat("{x: y}, ", 1<<16) + "{x: y}]\n",
		"wrong":      "kind: Pod\nspec: {containers: {a: b}, volumes: 3, initContainers: [[[]]]}\nmetadata: [1]\n",
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			set, problems := Read([]Source{{Name: "bomb.yaml", Text: []byte(text)}}, nil)
			use(set)
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 2048 {
				t.Errorf("%d MiB allocated for %d KiB", got, len(text)>>10)
			}
			t.Logf("%d KiB: %d objects, %d problems, %d MiB allocated", len(text)>>10, len(set.Objects), len(problems), (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}

// TestIncludeStaysBelow: an option file cannot make lint read what lies outside
// its directory.
func TestIncludeStaysBelow(t *testing.T) {
	var opened []string
	open := func(path string) ([]byte, error) { opened = append(opened, path); return nil, os.ErrNotExist }
	text := "!include /etc/shadow\n!include ../secret.cnf\n!include sub/ok.cnf\n!includedir /etc\n[mysqld]\nx=1\n"
	set, _ := Read([]Source{{Name: "conf/my.cnf", Text: []byte(text)}}, open)
	if len(opened) != 1 || opened[0] != "conf/sub/ok.cnf" {
		t.Errorf("opened %q", opened)
	}
	if n := len(set.Objects[0].options.Missing); n != 4 {
		t.Errorf("%d includes are known to be missing, not 4", n)
	}
}

// FuzzPatch lays a patch over whatever stands in a file: the edits can be made, and
// what was a mapping stays one.
func FuzzPatch(f *testing.F) {
	for _, s := range []string{
		"kind: E\narms:\n  x: {cpu: 1}\n", "kind: E\narms: {x: {}}\n", "kind: E\narms:\n  x:\n    cpu: \"1\" # c\n    config: {a: 1}\n",
		"kind: E\narms:\n  y: &y {cpu: 1}\n  x: *y\n", "kind: E\narms:\n  x:\n    <<: {cpu: 2}\n    cpu: |\n      3\n", "kind: E\r\narms:\r\n  x:\r\n    cpu: '1'\r\n", "kind: E\narms: {x: {cpu: [1]}}\n",
		"kind: E\narms:\n  x:\n    cpu: \"1c \n\"", "kind: E\narms:\n  x:\n    cpu: 'x'''\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, _ := Read([]Source{{Name: "e.yaml", Text: text}}, nil)
		if len(set.Objects) != 1 {
			return
		}
		edits, err := set.Objects[0].Value.Get("arms", "x").Patch("{cpu: max, config: {b: 2}}")
		if err != nil {
			return
		}
		out, _, err := set.Files[0].Apply(edits)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, problems := Read([]Source{{Name: "e.yaml", Text: out}}, nil)
		if len(problems) > 0 || len(again.Objects) != 1 || again.Objects[0].Value.Get("arms", "x", "cpu").Text() != "max" {
			t.Errorf("%q became %q: %v", text, out, problems)
		}
	})
}
