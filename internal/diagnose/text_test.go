package diagnose

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"unicode"
)

// TestEveryRuleIsTranslated: every rule has all texts in English and Chinese, and a
// rule whose English was changed has a Chinese text that was revised with it.
func TestEveryRuleIsTranslated(t *testing.T) {
	all, err := readTexts(zh, "zh")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules() {
		text, ok := all[r.ID]
		if !ok {
			t.Errorf("%s has no Chinese text: add it to internal/diagnose/zh", r.ID)
			continue
		}
		delete(all, r.ID)
		if want := r.english().hash(); text.English != want {
			t.Errorf("%s: its English was changed: revise its Chinese text in internal/diagnose/zh, then set english: %q", r.ID, want)
		}
		for _, part := range []struct{ name, english, chinese string }{
			{"title", r.Title, text.Title}, {"what", r.What, text.What}, {"impact", r.Impact, text.Impact}, {"fix", r.Fix, text.Fix},
		} {
			if part.english == "" || strings.ContainsFunc(part.english, isHan) {
				t.Errorf("%s: %s in English is %q", r.ID, part.name, part.english)
			}
			if !strings.ContainsFunc(part.chinese, isHan) {
				t.Errorf("%s: %s in Chinese is %q", r.ID, part.name, part.chinese)
			}
		}
	}
	for id := range all {
		t.Errorf("internal/diagnose/zh has texts of %s, which is not a rule", id)
	}
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// TestTextByLanguage: a language without texts gets English.
func TestTextByLanguage(t *testing.T) {
	r := cCPU06()
	if got := r.In("zh").Title; got != "CPU steal（被宿主机抢占）" {
		t.Errorf("zh: %q", got)
	}
	for _, language := range []string{"en", "", "fr"} {
		if got := r.In(language); got != (Wording{r.Title, r.What, r.Impact, r.Fix}) {
			t.Errorf("%q: %+v", language, got)
		}
	}
	if a, b := r.english().hash(), (Wording{r.Title, r.What, r.Impact, r.Fix + "."}).hash(); a == b {
		t.Error("another text has the same hash")
	}
}

// TestChinesePage: a page in Chinese has no word of the English one around its texts.
func TestChinesePage(t *testing.T) {
	for _, r := range Rules() {
		page := r.Page("zh")
		for _, head := range []string{"# " + r.ID + ": " + r.In("zh").Title + "\n", "\n## 现象与原因\n", "\n## 影响\n", "\n## 修复方法\n", "\n## 参考资料\n"} {
			if !strings.Contains(page, head) {
				t.Errorf("%s: its Chinese page lacks %q", r.ID, head)
			}
		}
		for _, n := range r.Needs {
			if strings.Contains(page, n.Help) {
				t.Errorf("%s: its Chinese page says %q", r.ID, n.Help)
			}
		}
	}
}

// hash names a text: the first 8 hexadecimal digits of its SHA-256.
func (t Wording) hash() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{t.Title, t.What, t.Impact, t.Fix}, "\n")))
	return hex.EncodeToString(sum[:4])
}
