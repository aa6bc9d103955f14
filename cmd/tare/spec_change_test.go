package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// verbsWithoutCluster are those that contact no cluster, with what they work on.
func verbsWithoutCluster() map[string]string {
	return map[string]string{
		"versus": "servers", "load": "a server", "merge": "files", "probe": "this machine", "capture": "a server or a file",
		"report": "a run directory", "compare": "run directories", "combine": "run directories", "export": "a run directory", "import": "files", "history": "run directories", "serve": "run directories",
		"lint": "files or a server", "list": "tables", "image": "a registry", "version": "nothing", "calibrate": "this machine",
	}
}

// TestClusterFlags: every verb that contacts a cluster has kubectl's flags, and every other verb is known to contact
// none.
func TestClusterFlags(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range visibleVerbs(rootCommand(&terminal{})) {
		_, without := verbsWithoutCluster()[v.Name()]
		seen[v.Name()] = true
		for _, name := range []string{"kubeconfig", "context", "namespace"} {
			f := v.Flags().Lookup(name)
			switch {
			case without && f != nil:
				t.Errorf("tare %s has --%s, and is listed as one without a cluster", v.Name(), name)
			case !without && f == nil:
				t.Errorf("tare %s contacts a cluster and has no --%s", v.Name(), name)
			case f != nil && name == "namespace" && f.Shorthand != "n":
				t.Errorf("tare %s has no -n", v.Name())
			}
		}
	}
	for name := range verbsWithoutCluster() {
		if !seen[name] {
			t.Errorf("%s is in the table and no verb", name)
		}
	}
}

// specOfArms is an experiment in a file of its own.
func specOfArms(t *testing.T, arms string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.yaml")
	text := "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\n" + arms
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSpecChange: flags of a cluster replace the file's settings for all arms of a cluster, in the text that is kept,
// and for no other arm.
func TestSpecChange(t *testing.T) {
	path := specOfArms(t, "load: {from: {image: i, namespace: b}}\ndefaults: {target: kubernetes, namespace: b} # ours\narms:\n  a: {context: old, image: m}\n  c: # no settings of its own\n  b:\n    target: external\n    namespace: mine\n  e: {target: kubernetes, context: old}\n")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(strings.Replace(string(text), "{image: i,", "{image: i, context: old,", 1), "  c: #", "  c: {context: old} #", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := readSpec(path, specChange{at: kubernetes.Where{Kubeconfig: "k", Context: "new one", Namespace: "n"}, rounds: 7})
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("k")
	if err != nil {
		t.Fatal(err)
	}
	again, err := experiment.Parse("again.yaml", e.Source)
	if err != nil {
		t.Fatalf("%v\n%s", err, e.Source)
	}
	for _, e := range []*experiment.Experiment{e, again} {
		for _, p := range clusterPlaces(e) {
			for field, want := range map[string]string{"kubeconfig": here, "context": `"new one"`, "namespace": "n"} {
				if got, _ := p.setting(field); got != want {
					t.Errorf("%s has %s: %s, not %s", p.name, field, got, want)
				}
			}
		}
		other, _ := e.Arm("b")
		if got, _ := other.Setting("namespace"); got != "mine" || other.Has("context") || len(clusterPlaces(e)) != 4 {
			t.Errorf("%d places; the arm of another target has %s", len(clusterPlaces(e)), other.Settings())
		}
		if e.Protocol.Rounds.Max != 7 {
			t.Errorf("%d rounds", e.Protocol.Rounds.Max)
		}
	}
	if head := strings.SplitN(string(e.Source), "\n", 3); !strings.Contains(head[0], "rounds was given on the command line: 7") || head[1] != "# Given on the command line: kubeconfig "+here+", context new one, namespace n." {
		t.Errorf("%q", head)
	}
	arm, _ := e.Arm("e")
	if p := arm.Problem("namespace", "x"); p.Line != 13 || p.Column < 6 {
		t.Errorf("a mistake in a setting of the command line stands at %d:%d, not at the arm", p.Line, p.Column)
	}
}

// TestSpecChangeRefused: a flag that has no effect, or would make equal what the file has different, is refused with
// what it would do.
func TestSpecChangeRefused(t *testing.T) {
	in := func(name string) kubernetes.Where { return kubernetes.Where{Namespace: name} }
	for _, c := range []struct {
		arms string
		at   kubernetes.Where
		want string
	}{
		{"arms: {a: {target: process}, b: {target: container}}\n", in("n"), "--namespace: no arm of "},
		{"arms: {a: {target: kubernetes, context: x}, b: {target: kubernetes, context: y}}\n", in("n"), "--namespace is ambiguous: arm a has context: x and arm b has context: y in "},
		{"arms: {a: {target: kubernetes, context: x}, b: {target: kubernetes}}\n", kubernetes.Where{Context: "z"}, "--context is ambiguous: arm a has context: x and arm b has no context in "},
		{"arms: {a: {target: kubernetes, namespace: x}, b: {target: kubernetes, namespace: y}}\n", in("n"), "--namespace is ambiguous: arm a has namespace: x and arm b has namespace: y in "},
		{"arms: {a: {target: kubernetes, namespace: x}, b: {target: kubernetes, namespace: y}}\n", kubernetes.Where{Context: "z"}, ""},
		{"load: {from: {image: i, context: l}}\narms: {a: {target: kubernetes}, b: {target: kubernetes}}\n", kubernetes.Where{Kubeconfig: "k"}, "--kubeconfig is ambiguous: arm a has no context and load.from has context: l in "},
		{"attribute: {from: a, layers: {l: {namespace: x}}}\narms: {a: {target: kubernetes, namespace: x}}\n", in("n"), "--namespace is ambiguous: arm a has namespace: n and arm l has namespace: x in "},
	} {
		path := specOfArms(t, c.arms)
		_, err := readSpec(path, specChange{at: c.at})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.arms, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want+path) || exitCode(err) != 2 {
			t.Errorf("%s: %v (%d)", c.arms, err, exitCode(err))
		}
	}
}

// TestSpecChangeKeepsMistakes: with a flag, the mistakes of a file are all shown, where they are.
func TestSpecChangeKeepsMistakes(t *testing.T) {
	path := specOfArms(t, "load: {threds: 2}\narms: {a: {target: kubernetes}, B: {target: kubernetes}}\n")
	_, plain := readSpec(path, specChange{})
	_, changed := readSpec(path, specChange{at: kubernetes.Where{Namespace: "n"}})
	if plain == nil || changed == nil || plain.Error() != changed.Error() || strings.Count(plain.Error(), "\n") != 1 {
		t.Errorf("%v\nwith a flag\n%v", plain, changed)
	}
}

// TestResumeRefusesChanges: a run goes on as it was planned.
func TestResumeRefusesChanges(t *testing.T) {
	for _, words := range [][]string{{"--rounds", "3"}, {"-n", "x"}, {"--context", "x"}, {"--kubeconfig", "x"}} {
		root := rootCommand(&terminal{})
		root.SetArgs(slices.Concat([]string{"run", "--resume", t.TempDir()}, words))
		root.SilenceUsage, root.SilenceErrors = true, true
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), "and --resume exclude each other: ") {
			t.Errorf("%s: %v", words, err)
		}
	}
}
