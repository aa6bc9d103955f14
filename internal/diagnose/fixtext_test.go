package diagnose

// A fix that names values is judged like a change that --fix writes: what the text asks for, made by hand, removes the
// finding and brings no other.

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/internal/manifest"
)

var (
	textOfAmount = regexp.MustCompile(`(limits|requests)\.(memory|cpu)(?: and (limits|requests)\.(memory|cpu))?: "?(\d[\w.]*)"?`)
	textOfCPU    = regexp.MustCompile(`cpu: "?(\d[\w.]*)"? as request( and limit)?`)
	textOfBoth   = regexp.MustCompile(`\{requests: \{cpu: "(\w+)", memory: (\w+)\}, limits: \{cpu: "(\w+)", memory: (\w+)\}\}`)
	textOfGone   = regexp.MustCompile(`instead of ([a-z_]+(?:, innodb_[a-z_]+)*)`)
	textOfOption = regexp.MustCompile(`\b([a-z][a-z_]+_[a-z_]+)=([\w.-]+)`)
)

// changeOf is what a text asks to be written; ok is false where it names no value.
func changeOf(text string) (c manifest.Change, ok bool) {
	c = manifest.Change{Options: map[string]string{}, Resources: map[string]string{}}
	for _, m := range textOfAmount.FindAllStringSubmatch(text, -1) {
		c.Resources[m[1]+"."+m[2]] = m[5]
		if m[3] != "" {
			c.Resources[m[3]+"."+m[4]] = m[5]
		}
	}
	for _, m := range textOfCPU.FindAllStringSubmatch(text, -1) {
		c.Resources["requests.cpu"] = m[1]
		if m[2] != "" {
			c.Resources["limits.cpu"] = m[1]
		}
	}
	for _, m := range textOfBoth.FindAllStringSubmatch(text, -1) {
		c.Resources["requests.cpu"], c.Resources["requests.memory"], c.Resources["limits.cpu"], c.Resources["limits.memory"] = m[1], m[2], m[3], m[4]
	}
	for _, m := range textOfOption.FindAllStringSubmatch(text, -1) {
		c.Options[m[1]] = m[2]
	}
	for _, m := range textOfGone.FindAllStringSubmatch(text, -1) {
		c.Without = append(c.Without, strings.Split(m[1], ", ")...)
	}
	return c, len(c.Options)+len(c.Resources) > 0
}

// everyCase is the recorded cases of the rules, by file and kind, and the whole cases, which have one kind, "".
func everyCase(t *testing.T) map[string]map[string]*txtar.Archive {
	t.Helper()
	all := map[string]map[string]*txtar.Archive{}
	for _, pattern := range []string{"testdata/*.txtar", "testdata/cases/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			kinds := kindsOf(a)
			if pattern == "testdata/cases/*.txtar" {
				kinds = []string{""}
			}
			all[name] = map[string]*txtar.Archive{}
			for _, kind := range kinds {
				all[name][kind] = a
			}
		}
	}
	return all
}

func TestFixesInWordsAreJudged(t *testing.T) {
	tried := 0
	for name, kinds := range everyCase(t) {
		for kind, a := range kinds {
			set, facts := caseOf(t, a, kind)
			around := surroundings(set, facts)
			for i, db := range set.Databases() {
				c := around
				c.DB = db
				before := grave(unjudged(&c, Rules()))
				for _, f := range Lint(set, facts, Rules()).Findings {
					if !f.Found() || f.Subject != db.Title() || f.Rule == "M-OPT-01" && len(db.Config.Broken) > 0 { // a line that has to be replaced
						continue
					}
					for _, one := range strings.Split(f.Fix, "; or ") {
						change, names := changeOf(one)
						if !names {
							continue
						}
						tried++
						changed := c
						changed.DB = set.Databases()[i].With(change)
						if !changed.valid() && c.valid() {
							t.Errorf("%s %s: %s: %q asks for more than the limit", name, kind, f.Rule, one)
						}
						after := grave(unjudged(&changed, Rules()))
						if after[f.Rule] >= before[f.Rule] && weight(unjudged(&changed, Rules()), f.Rule) >= weight(unjudged(&c, Rules()), f.Rule) {
							t.Errorf("%s %s: %s is there after %q", name, kind, f.Rule, one)
						}
						delete(after, "K-CPU-04") // of the node, and of none but pods with whole CPUs
						if len(change.Resources) > 0 {
							delete(after, "M-REDO-01") // of none but servers of 1 GiB and more
						}
						for rule, n := range after {
							if id, _, _ := strings.Cut(rule, " "); n > before[rule] && !strings.Contains(one, "("+id+")") && !(strings.HasPrefix(rule, "K-OPS-05") && strings.Contains(one, "terminationGracePeriodSeconds")) {
								t.Errorf("%s %s: %s: %q leads to %s", name, kind, f.Rule, one, rule)
							}
						}
					}
				}
			}
		}
	}
	if tried < 80 {
		t.Errorf("only %d texts were tried", tried)
	}
}

// weight is how grave the findings of a rule are together.
func weight(all []Finding, rule string) (sum int) {
	for _, f := range all {
		if f.Rule == rule && f.Found() {
			sum += map[Severity]int{Error: 100, Warning: 10, Note: 1}[f.Severity]
		}
	}
	return sum
}

// caseOf are the files of one kind of case.
func caseOf(t *testing.T, a *txtar.Archive, kind string) (*manifest.Set, Facts) {
	t.Helper()
	var sources []manifest.Source
	facts := Facts{}
	for _, f := range a.Files {
		dir, base, ok := strings.Cut(f.Name, "/")
		if kind == "" && !ok {
			dir, base = "", f.Name
		}
		switch {
		case dir != kind || base == "right":
		case base == "node.yaml":
			facts.Node = readAll(t, manifest.Source{Name: base, Text: f.Data})
		default:
			sources = append(sources, manifest.Source{Name: base, Text: f.Data})
		}
	}
	return readAll(t, sources...), facts
}
