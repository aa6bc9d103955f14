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
)

// TestEveryPhraseIsTranslated: what the rules of runs say has Chinese with the same
// arguments, and the table has nothing else. The English is read from the source.
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
		if !ok {
			t.Errorf("%s: %q has no Chinese: add it to internal/diagnose/evidence/zh.yaml", where, english)
			continue
		}
		delete(table, english)
		if got, want := slotsOf(t, chinese), len(phrase(english, make([]any, 9)...).Arguments); !slices.Equal(got, upTo(want)) {
			t.Errorf("%q: Chinese %q has the arguments %v, want 1 to %d", english, chinese, got, want)
		}
	}
	for english := range table {
		t.Errorf("internal/diagnose/evidence/zh.yaml: no rule says %q", english)
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

// phrasesOfSource are the literals of the functions that make phrases, in the files that
// look at runs, with their places.
func phrasesOfSource(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	makers := []string{"seen", "ruledOut", "unknown", "notRead", "unread", "and", "phrase", "term", "fix"}
	all, set := map[string]string{}, token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") || !looksAtRuns(file) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains(makers, nameOf(call.Fun)) && len(call.Args) > 0 {
				if text, ok := literal(call.Args[0]); ok {
					all[text] = set.Position(call.Pos()).String()
				}
			}
			return true
		})
	}
	return all
}

// looksAtRuns says that a file uses Observed or compare's arms.
func looksAtRuns(file *ast.File) (yes bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "Observed" {
			yes = true
		}
		return !yes
	})
	return yes
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
	for _, f := range all {
		if got := Say(f.Phrases, "en"); got != f.Says {
			t.Errorf("%s: its phrases say %q, want %q", f.Rule, got, f.Says)
		}
		chinese := Say(f.Phrases, "zh")
		if !strings.ContainsFunc(chinese, isHan) || strings.ContainsAny(chinese, "{}") || strings.Contains(chinese, "%!") || strings.Contains(chinese, "?") {
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
	if _, ok := chinesePhrases()[p.English]; !ok && p.English != "" {
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
