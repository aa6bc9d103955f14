package diagnose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/operator"
)

// TestEveryPhraseIsTranslated: what the rules say, and what package manifest and the descriptors of operators
// add, has Chinese with the same arguments, and the tables have nothing else. The English is read from the source.
func TestEveryPhraseIsTranslated(t *testing.T) {
	table, err := readPhrases()
	if err != nil {
		t.Fatal(err)
	}
	said := phrasesOfSource(t)
	if len(said) < 100 {
		t.Fatalf("%d phrases in the source: the search finds no more", len(said))
	}
	for english, where := range said {
		chinese, ok := table[english]
		switch {
		case !ok && isSetting(english):
			continue
		case !ok:
			t.Errorf("%s: %q has no Chinese: add it to internal/diagnose/evidence", where, english)
			continue
		}
		delete(table, english)
		if got, want := slotsOf(t, chinese), len(phrase(english, make([]any, 9)...).Arguments); !slices.Equal(got, upTo(want)) {
			t.Errorf("%q: Chinese %q has the arguments %v, want 1 to %d", english, chinese, got, want)
		}
	}
	for english := range table {
		t.Errorf("internal/diagnose/evidence: no rule says %q", english)
	}
}

// isSetting is whether a phrase consists of names and values of settings: "optional: false", "%s=8".
func isSetting(english string) bool {
	value := true // what follows the name of a field
	for _, word := range strings.Fields(verb.ReplaceAllString(english, "1")) {
		if !value && !strings.ContainsAny(word, "=:.{}0123456789") {
			return false
		}
		value = strings.HasSuffix(word, ":")
	}
	return strings.ContainsAny(english, "=:%")
}

func TestIsSetting(t *testing.T) {
	for english, want := range map[string]bool{
		"optional: false": true, "%s=8": true, "%s=%s": true, "cpu: \"%d\"": true, "cpuManagerPolicyOptions: {full-pcpus-only: \"true\"}": true,
		"%s is a template": false, "the default": false, "set only one of the two": false, "memory: at most %dGi": false, "%s=8 in %s": false,
	} {
		if got := isSetting(english); got != want {
			t.Errorf("%q is a setting: %v, want %v", english, got, want)
		}
	}
}

func slotsOf(t *testing.T, text string) (all []int) {
	t.Helper()
	for _, s := range slot.FindAllString(text, -1) {
		n, err := strconv.Atoi(strings.Trim(s, "{}"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// phrasesOfSource are the literals of the functions that make phrases, and the reasons in the descriptors of
// operators, with their places.
func phrasesOfSource(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	literals(t, all, "*.go", map[string]int{
		"seen": 0, "ruledOut": 0, "unknown": 0, "notRead": 0, "unread": 0, "and": 0, "phrase": 0, "term": 0, "fix": 0, "confirmed": 1, "hint": 1,
	})
	literals(t, all, "../manifest/*.go", map[string]int{"said": 0})
	for _, d := range operator.All() {
		sets := d.Sets
		for _, v := range d.Variants {
			sets = append(sets, v.Sets...)
		}
		for _, set := range sets {
			all[set.Why] = d.Title
		}
	}
	for _, from := range manifest.Origins() {
		all[from] = "manifest.Origins"
	}
	return all
}

// literals finds the calls of the functions in the files of a pattern whose argument with the function's number
// is a literal.
func literals(t *testing.T, all map[string]string, pattern string, makers map[string]int) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if i, maker := makers[nameOf(call.Fun)]; maker && len(call.Args) > i {
				if text, ok := literal(call.Args[i]); ok {
					all[text] = set.Position(call.Pos()).String()
				}
			}
			return true
		})
	}
}

func nameOf(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) (text string, ok bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// TestFindingsInChinese: no phrase of the rules' own cases is left in English.
func TestFindingsInChinese(t *testing.T) {
	all := findingsOfCases(t)
	if len(all) < 80 {
		t.Fatalf("%d findings", len(all))
	}
	files := findingsOfFiles(t)
	if len(files) < 80 {
		t.Fatalf("%d findings of files", len(files))
	}
	all = append(all, files...)
	for _, f := range all {
		if got := Say(f.Phrases, "en"); got != f.Says {
			t.Errorf("%s: its phrases say %q, want %q", f.Rule, got, f.Says)
		}
		chinese := Say(f.Phrases, "zh")
		if !strings.ContainsFunc(chinese, isHan) || slot.MatchString(chinese) || strings.Contains(chinese, "%!") || strings.Contains(strings.NewReplacer("[+-]?", "", "[-+]?", "").Replace(chinese), "?") { // but in the words of the API server
			t.Errorf("%s: %q in Chinese is %q", f.Rule, f.Says, chinese)
		}
		if got := f.FixPhrase.In("en"); got != f.Fix {
			t.Errorf("%s: the phrase of its fix says %q, want %q", f.Rule, got, f.Fix)
		}
		for _, p := range append(f.Phrases, f.FixPhrase) {
			untranslated(t, f.Rule, p)
		}
	}
}

func untranslated(t *testing.T, rule string, p Phrase) {
	t.Helper()
	if _, ok := chinesePhrases()[p.English]; !ok && p.English != "" && !isSetting(p.English) {
		t.Errorf("%s: %q is not translated", rule, p.English)
	}
	for _, a := range p.Arguments {
		untranslated(t, rule, a)
	}
}

// findingsOfCases are what the rules say of the arms of the other tests.
func findingsOfCases(t *testing.T) (all []Finding) {
	t.Helper()
	for _, c := range evidenceCases() {
		all = append(all, observe(c.rule, observed(t, c.settings, c.evidence))...)
	}
	cases, base := counterCases()
	for _, c := range cases {
		o := observed(t, c.settings, nil)
		o.Arm, o.Base = c.saw.arm("x"), base.arm("bare")
		all = append(all, observe(c.rule, o)...)
	}
	return all
}

// findingsOfFiles are what the rules say of their recorded cases, and what is said of the databases there.
func findingsOfFiles(t *testing.T) (all []Finding) {
	t.Helper()
	for _, rule := range Rules() {
		if rule.Check == nil {
			continue
		}
		a, err := txtar.ParseFile(filepath.Join("testdata", rule.ID+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kindsOf(a) {
			result := lintCase(t, a, kind, rule)
			all = append(all, result.Findings...)
			for _, d := range result.Databases {
				all = append(all, Finding{Rule: rule.ID + ", database", Says: d.Says, Phrases: d.Phrases})
			}
		}
	}
	return all
}

// A result that somebody else wrote may lack arguments or have more than a phrase takes.
func TestPhraseOfAnotherVersion(t *testing.T) {
	for _, c := range []struct {
		p        Phrase
		en, want string
	}{
		{Phrase{English: "no IP traffic to clients"}, "no IP traffic to clients", "与客户端之间没有 IP 流量"},
		{Phrase{English: "at most %s"}, "at most ?", "最高时，?"},
		{phrase("of a later version: %d of %d, 5 %%", 3, 4), "of a later version: 3 of 4, 5 %", "of a later version: 3 of 4, 5 %"},
		{Phrase{Value: "100%d"}, "100%d", "100%d"},
		{Phrase{}, "", ""},
	} {
		if en, zh := c.p.In("en"), c.p.In("zh"); en != c.en || zh != c.want {
			t.Errorf("%+v: %q and %q", c.p, en, zh)
		}
	}
}
