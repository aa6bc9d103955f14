package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

var (
	englishWords = regexp.MustCompile(`[A-Za-z][A-Za-z'-]*(?: [A-Za-z][A-Za-z'-]*){2,}`)
	// Names in a Chinese report are not translated: of commands, sources and places, and
	// what a target said.
	namesOfRuns = []string{
		"Example CPU", "tare run", "tare remedy", "tare report DIR", "tare list layers",
		"all files of the prepared data directory", "SHOW GLOBAL VARIABLES",
	}
)

// englishIn are runs of three English words or more that are not names.
func englishIn(said string) []string {
	var all []string
	for _, found := range englishWords.FindAllString(said, -1) {
		if !slices.ContainsFunc(namesOfRuns, func(name string) bool { return strings.Contains(found, name) }) {
			all = append(all, found)
		}
	}
	return all
}

// visibleText is what a reader of a page sees without scripts, but for code that is to be
// copied.
func visibleText(t *testing.T, b []byte) string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && slices.Contains([]string{"script", "style", "pre", "code", "head"}, n.Data) {
			return
		}
		if n.Type == html.TextNode {
			all.WriteString(n.Data + "\n")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return all.String()
}

// watched is the first fixture with readings of every probe, and with a client of
// besteffort that could not keep up.
func watched(t *testing.T) *report.Document {
	t.Helper()
	run, err := record.Open("testdata/runs/demo")
	if err != nil {
		t.Fatal(err)
	}
	run.Plan.Protocol = &experiment.Interleaving{Kind: experiment.KindWindows, Why: "the experiment asks for windows", Reason: &experiment.Reason{Code: "asked"}}
	for _, trial := range run.Trials {
		for _, p := range probe.All() {
			trial.Metrics = append(trial.Metrics, p.Metrics...)
		}
		for second := 1; second <= 25; second++ {
			values := map[string]float64{}
			for _, m := range trial.Metrics {
				values[m.Name] = float64(second * second)
			}
			trial.Samples = append(trial.Samples, record.Sample{At: time.Duration(second) * time.Second, Values: record.ValuesOf(values)})
		}
		if trial.Header.Arm == "besteffort" {
			for key, value := range map[string]string{"load.invalid": "a loop of the generator was busy for 98 % of the window", "load.invalid_code": "busy", "load.busiest_loop": "0.98"} {
				trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: value, Phase: "end"})
			}
		}
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestChineseReportIsChinese: in all views of all recorded runs, and of one in which every
// probe was read, no English sentence is left, neither in what the charts quote.
func TestChineseReportIsChinese(t *testing.T) {
	docs := map[string]*report.Document{"watched": watched(t)}
	for _, name := range names() {
		docs[name] = open(t, name)
	}
	for name, doc := range docs {
		said, err := doc.In("zh")
		if err != nil {
			t.Fatal(err)
		}
		var plain, comment, whole bytes.Buffer
		for _, err := range []error{
			text.Write(&plain, said, text.Options{Width: 120, Unicode: true}), markdown.Write(&comment, said), page.Write(&whole, said, page.Assets{}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		outside, _ := outsideFences(comment.String())
		for view, got := range map[string]string{"text": plain.String(), "Markdown": strings.ReplaceAll(outside, `\`, ""), "page": visibleText(t, whole.Bytes())} {
			for _, found := range englishIn(got) {
				t.Errorf("%s, %s: %q", name, view, found)
			}
		}
	}
	quoted := quotedIn(t, docs["watched"])
	if len(quoted) < 100 {
		t.Errorf("the charts quote %d texts", len(quoted))
	}
	for en, zh := range quoted {
		for _, found := range englishIn(zh) {
			t.Errorf("a chart says %q for %q", found, en)
		}
	}
}

// TestEndsInChinese: a chart and the sentence of a capacity say in Chinese how a trial ended.
func TestEndsInChinese(t *testing.T) {
	if got := quotedIn(t, open(t, "starved"))["the server did not answer within 1m0s"]; got != "服务器在 1 分 0 秒内没有应答" {
		t.Errorf("a chart quotes %q", got)
	}
	said, err := (&report.Document{}).In("zh")
	if err != nil {
		t.Fatal(err)
	}
	for recorded, want := range map[string]string{
		"mysqld has ended: signal: killed": "mysqld 已退出：signal: killed", "disk full": "disk full",
		record.FailedInARow.Say("3", "7", "pod", record.AtStart.Say("no runc")): "连续 3 次试验失败，最后一次（7，pod）：启动：no runc",
		record.SomeFailed.Say("2", "8"):                                         "8 次试验中有 2 次失败；已测得的结果均已保留",
		record.AtVerify.Say(record.Inconsistent.Say("w_ytd = sum(d_ytd)", "1", "warehouse 1: 5 and 6") + "\n" + record.Inconsistent.Say("no orders", "2", "order 3")): "校验数据：数据不一致：w_ytd = sum(d_ytd) 在 1 处不成立：warehouse 1: 5 and 6；数据不一致：no orders 在 2 处不成立：order 3",
		record.PrepareData.Say("disk full"): "准备数据：disk full", record.OfRound.Say("2", "disk full"): "第 2 轮：disk full",
		record.PrepareData.Say(record.OfArm.Say("db", "disk full")): "准备数据：测试配置 db：disk full",
	} {
		if got := said.Ended(recorded); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// quotedIn are the Chinese texts that a page has for its charts.
func quotedIn(t *testing.T, doc *report.Document) map[string]string {
	t.Helper()
	_, words, _ := strings.Cut(string(testPage(t, doc)), `id="tare-words">`)
	words, _, _ = strings.Cut(words, "</script>")
	var all struct {
		Languages []struct {
			Tag    string            `json:"tag"`
			Quoted map[string]string `json:"quoted"`
		} `json:"languages"`
	}
	if err := json.Unmarshal([]byte(words), &all); err != nil {
		t.Fatal(err)
	}
	for _, l := range all.Languages {
		if l.Tag == "zh" {
			return l.Quoted
		}
	}
	return nil
}

// Every metric of the probes has a description in every language, and none is described
// that no probe reads.
func TestMetricsAreTranslated(t *testing.T) {
	read := map[string]bool{"server.wait_per_cpu_s": true, "probe.cpu_ns": true} // computed, and the watcher's own
	for _, p := range probe.All() {
		for _, m := range p.Metrics {
			read[m.Name] = true
		}
	}
	for _, l := range language.All()[1:] {
		for name := range read {
			if l.Metrics[name] == "" {
				t.Errorf("%s says nothing of %s", l.Tag, name)
			}
		}
		for name := range l.Metrics {
			if !read[name] {
				t.Errorf("%s describes %s, which nothing reads", l.Tag, name)
			}
		}
	}
}
