package diagnose

// The cases of testdata/cases are reports of databases on Kubernetes in our own words: the files, and in the file
// `right` what somebody who knows the field says of them before anything is run. Its lines are
//
//	finds RULE [SEVERITY]   the rule finds something, of that severity
//	silent RULE             the rule finds nothing
//	unknown RULE            the rule says which fact is missing
//	says TEXT               the line of a database, a finding or a document that is not read has the text
//	never TEXT              none of them has it
//	once TEXT               one of them has it
//	clean                   no finding is an error or a warning

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/internal/manifest"
)

func TestCasesHaveTheRightAnswer(t *testing.T) {
	names, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(names) < 70 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { rightAnswer(t, name) })
	}
}

func rightAnswer(t *testing.T, name string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var sources []manifest.Source
	var facts Facts
	var right string
	for _, f := range a.Files {
		switch f.Name {
		case "right":
			right = string(f.Data)
		case "node.yaml":
			facts.Node = readAll(t, manifest.Source{Name: f.Name, Text: f.Data})
		default:
			sources = append(sources, manifest.Source{Name: f.Name, Text: f.Data})
		}
	}
	set := readAll(t, sources...)
	r := Settle(set, facts, Rules(), Lint(set, facts, Rules()))
	lines := strings.Split(strings.TrimSpace(right), "\n")
	for _, line := range lines {
		if !holds(r, line) {
			t.Errorf("%s does not hold of\n%s", line, told(r))
		}
	}
}

// holds is whether a line of what is right holds of a result.
func holds(r Result, line string) bool {
	kind, rest, _ := strings.Cut(line, " ")
	rule, severity, _ := strings.Cut(rest, " ")
	found, missing, grave := false, false, false
	for _, f := range r.Findings {
		found = found || f.Rule == rule && f.Found() && (severity == "" || string(f.Severity) == severity)
		missing = missing || f.Rule == rule && f.Verdict == Unknown
		grave = grave || f.Found() && f.Severity != Note
	}
	switch kind {
	case "finds":
		return found
	case "silent":
		return !found
	case "unknown":
		return missing && !found
	case "clean":
		return !grave
	case "says":
		return strings.Contains(told(r), rest)
	case "never":
		return !strings.Contains(told(r), rest)
	case "once":
		return strings.Count(told(r), rest) == 1
	}
	return false
}

// told is a result in lines.
func told(r Result) string {
	var b strings.Builder
	for _, d := range r.Databases {
		b.WriteString(d.Title + ": " + d.Says + "\n")
	}
	for _, u := range r.Unread {
		b.WriteString("not read: " + u.Title + ": " + u.Why.String() + "\n")
	}
	for _, f := range r.Findings {
		b.WriteString(f.Rule + " " + string(f.Verdict) + " " + string(f.Severity) + ": " + f.Says + "\n")
		if f.Found() {
			b.WriteString("  fix: " + f.Fix + "\n")
		}
	}
	return b.String()
}
