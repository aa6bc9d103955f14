package language

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
)

// TestSpacesOfChinese: whatever a slot holds, a space stands between a Chinese character and a Latin letter or a digit.
func TestSpacesOfChinese(t *testing.T) {
	zh, err := Of("zh")
	if err != nil {
		t.Fatal(err)
	}
	wrong := regexp.MustCompile(`\p{Han}[A-Za-z0-9]|[A-Za-z0-9%]\p{Han}`)
	check := func(key, said string) {
		if at := wrong.FindStringIndex(said); at != nil {
			t.Errorf("%s: %q in %q", key, said[at[0]:at[1]], said)
		}
	}
	for key, said := range zh.Report {
		for _, value := range []string{"tare 的", "6 轮", "73%", "机器"} {
			var slots []string
			names := map[string][]string{}
			for _, s := range slot.FindAllStringSubmatch(said, -1) {
				slots = append(slots, strings.Trim(s[0], "{}"), value)
				names[s[1]] = []string{value}
			}
			check(key, zh.Say(key, slots...))
			if code, ok := strings.CutPrefix(key, "reason."); ok {
				check(key, zh.Reason(compare.Reason{Code: code, Names: names}))
			}
		}
	}
	for _, texts := range []map[string]string{zh.Metrics, zh.Terms} {
		for key, said := range texts {
			check(key, said)
		}
	}
}

// TestFillKeepsNames: what a slot holds is not changed, and one that is not given stays.
func TestFillKeepsNames(t *testing.T) {
	zh := &Language{Tag: "zh"}
	if said := zh.fill("占用{of} {share}", []string{"of", "机器（甲）", "share", "6%"}); said != "占用机器（甲）6%" {
		t.Error(said)
	}
	if said := zh.fill("在{where}占用{what}{n}", []string{"where", "机器a测试", "what", "{n}"}); said != "在机器a测试占用{n}{n}" {
		t.Error(said)
	}
}
