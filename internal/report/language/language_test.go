package language

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// Every language says all that English says and nothing else, with the same slots:
// a number left out of a translation would be a number withheld.
func TestLanguagesAreComplete(t *testing.T) {
	en := English()
	for _, l := range All() {
		for from, texts := range map[*map[string]string]map[string]string{&en.Report: l.Report, &en.Chart: l.Chart, &en.Terms: l.Terms} {
			for key, want := range *from {
				got, ok := texts[key]
				if name, form, plural := strings.Cut(key, "#"); plural && !ok && form != "other" {
					_, ok = texts[name+"#other"] // a form that this language does not have
					got = texts[name+"#other"]
				}
				if !ok || got == "" && want != "" && key != "join.sentences" {
					t.Errorf("%s lacks %q", l.Tag, key)
				} else if !slices.Equal(slots(got), slots(want)) {
					t.Errorf("%s, %q: slots %v, want %v", l.Tag, key, slots(got), slots(want))
				}
			}
			for key := range texts {
				if name, _, _ := strings.Cut(key, "#"); (*from)[key] == "" && (*from)[name+"#other"] == "" {
					t.Errorf("%s has %q, which English does not have", l.Tag, key)
				}
			}
		}
	}
}

func slots(text string) []string {
	var all []string
	for _, m := range slot.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Every reason that compare gives has a sentence, and every sentence a reason: the codes
// are read from compare's source.
func TestEveryReasonHasASentence(t *testing.T) {
	files, err := filepath.Glob("../../compare/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	// Codes that are put together, or chosen, before they become reasons.
	codes := map[string]bool{}
	for _, v := range []string{"costs", "gains", "within-margin", "equivalent", "inconclusive"} {
		codes["rule-"+v] = true
	}
	for _, g := range compare.Gates() {
		codes["gate-"+g] = true
	}
	for _, s := range record.Sentences() {
		codes["ended-"+s.Code] = true
	}
	source := ""
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") {
			source += string(b)
		}
	}
	for _, m := range regexp.MustCompile(`\breason\("([a-z0-9-]+)"\)`).FindAllStringSubmatch(source, -1) {
		codes[m[1]] = true
	}
	if len(codes) < 60 {
		t.Fatalf("%d codes: the pattern finds no more", len(codes))
	}
	for code := range codes {
		if English().Report["reason."+code] == "" {
			t.Errorf("reason %q has no sentence", code)
		}
	}
	for key := range English().Report {
		code, ok := strings.CutPrefix(key, "reason.")
		if !ok || codes[code] {
			continue
		}
		code = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(code, "who-"), "of-"), "misfit-")
		if !strings.Contains(source, `"`+code+`"`) {
			t.Errorf("nothing gives the reason %q", code)
		}
	}
	for _, l := range All() {
		for key, text := range l.Report {
			for _, m := range slot.FindAllStringSubmatch(text, -1) {
				format := strings.TrimPrefix(m[2], "+")
				switch {
				case format == "" || format == "list" || format == "and" || format == "value" || regexp.MustCompile(`^\.[0-9]f$`).MatchString(format):
				case l.Report[format+"#other"] == "" && l.Chart[format+"#other"] == "":
					t.Errorf("%s, %q: nothing is counted as %q", l.Tag, key, format)
				}
			}
		}
	}
}

// A number in a sentence is written as its slot says, in both languages.
func TestReasonIsWritten(t *testing.T) {
	why := compare.Reason{Code: "trial-said", Numbers: map[string]float64{"trial": 3}, Names: map[string][]string{"text": {"no answer"}}}
	r := compare.Reason{
		Code: "not-ready", Numbers: map[string]float64{"ready": 1, "starved": 0},
		Parts: map[string][]compare.Reason{"who": {{Code: "who-server"}}, "of": {{Code: "of-rounds", Numbers: map[string]float64{"n": 1200}}}, "why": {why}},
	}
	drift := compare.Reason{Code: "drift", Numbers: map[string]float64{"size": 1.25, "lo": -0.04, "hi": 2.5}, Parts: map[string][]compare.Reason{"arm": {{Code: "arm", Names: map[string][]string{"arm": {"pod"}}}}}}
	for tag, want := range map[string][2]string{
		"en": {"the server did not become ready in 1 of 1,200 rounds (trial 3: no answer)", "The throughput of pod drifts by +1.2 % within its windows (99 % interval 0.0 to +2.5). A longer warm-up would show whether it settles."},
		"zh": {"服务器在 1,200 轮中有 1 次未能就绪（试验 3：no answer）", "pod 的吞吐量在窗口内漂移 +1.2%（99% 置信区间 0.0 至 +2.5）。延长预热可以看出它是否会稳定下来。"},
	} {
		l, err := Of(tag)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Reason(r); got != want[0] {
			t.Errorf("%q, want %q", got, want[0])
		}
		if got := l.Reason(drift); got != want[1] {
			t.Errorf("%q, want %q", got, want[1])
		}
	}
	if got := English().Reason(compare.Reason{Code: "of-a-later-version"}); got != "of-a-later-version" {
		t.Error(got)
	}
}

// English is what time.Duration writes, so that records and reports agree; a number that is no
// duration stays a number.
func TestDurations(t *testing.T) {
	zh := All()[slices.Index(Tags(), "zh")]
	for written, want := range map[string]string{"27m43s": "27 分 43 秒", "1h0m5s": "1 小时 0 分 5 秒", "1.5s": "1.5 秒", "200ms": "200 ms", "15µs": "15 µs", "0s": "0 秒"} {
		d, err := time.ParseDuration(written)
		if err != nil {
			t.Fatal(err)
		}
		if en, got := English().Duration(d), zh.Duration(d); en != written || got != want {
			t.Errorf("%s: %q and %q, want %q", written, en, got, want)
		}
	}
	members := experiment.Reason{Code: "members", Arguments: map[string]string{"arm": "pxc", "most": "5s", "frozen": "7.5s"}}
	if got, want := zh.Why(members), "成员（测试配置 pxc）超过 5 秒没有响应就会被其他成员判为故障，而服务器在两次轮到之间最多冻结 7.5 秒"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	aio := experiment.Reason{Code: "aio", Arguments: map[string]string{"servers": "4", "needed": "9", "most": "0", "free": "0", "enough": "9"}}
	if got := zh.Why(aio); !strings.Contains(got, "fs.aio-max-nr（0）") {
		t.Errorf("%q", got)
	}
}

func TestLanguageFor(t *testing.T) {
	for tag, want := range map[string]string{
		"zh": "zh", "zh-CN": "zh", "zh_CN.UTF-8": "zh", "zh-Hant-TW": "zh", "en_GB": "en", "de_DE.UTF-8": "", "C": "", "POSIX": "", "": "", "../zh": "",
	} {
		if got := For(tag); got != want {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
	if _, err := Of("tlh"); err == nil || !strings.Contains(err.Error(), "en, zh") {
		t.Errorf("tlh: %v", err)
	}
}

// Plural forms come from CLDR, not from English.
func TestPlurals(t *testing.T) {
	for n, want := range map[int]string{0: "0 rounds", 1: "1 round", 2: "2 rounds", 1200: "1,200 rounds"} {
		if got := English().Count(n, "round"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	zh := All()[slices.Index(Tags(), "zh")]
	if got := zh.Count(1, "round"); got != "1 轮" {
		t.Errorf("%q", got)
	}
}

// TestEndedInEnglish: of a recorded sentence the language has its own words, and English the
// recorded ones.
func TestEndedInEnglish(t *testing.T) {
	chinese, err := Of("zh")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range record.Sentences() {
		if got := English().Report["reason.ended-"+s.Code]; got != string(s.Sentence) {
			t.Errorf("%s is %q, and recorded as %q", s.Code, got, s.Sentence)
		}
		if got := chinese.Report["reason.ended-"+s.Code]; !strings.ContainsFunc(got, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s is %q in Chinese", s.Code, got)
		}
	}
	for recorded, want := range map[string]string{
		"the server did not answer within 1m0s": "服务器在 1 分 0 秒内没有应答",
		"start: open /x: permission denied":     "启动：open /x: permission denied",
		"start: server died before it was ready: mysqld has ended: exit status 1; its last lines:\nboom\nbang":                                        "启动：服务器在就绪之前退出：mysqld 已退出：exit status 1；其最后的日志：\nboom\nbang",
		"the server hung: it answered nothing for 10s; its process is stopped (SIGSTOP)":                                                              "服务器挂起：10 秒内没有任何应答；其进程已停止（SIGSTOP）",
		"no transaction was completed in 4.0 s; could not be cleaned up: cgroup x is busy":                                                            "4.0 秒内没有完成任何事务；未能清理：cgroup x is busy",
		"the load ended first: promote member 2: apply the relay log: it is not applied after 1m0s":                                                   "负载先结束了：将成员 2 提升为主节点：应用中继日志：1 分 0 秒后仍未应用完",
		"stop receiving on member 2: EOF\nhave member 3 receive again: EOF":                                                                           "让成员 2 停止接收事务：EOF；让成员 3 重新接收事务：EOF",
		"2 accounts, such as client 3: 5 and 6":                                                                                                       "2 个账户的余额与记录数不符，例如客户端 3：余额 5，记录 6 条",
		"start: start pod: pod a-0 does not start: ErrImageNeverPull: not there (image x:1); next: load the image into the node, or let it be pulled": "启动：启动 Pod：Pod a-0 无法启动：ErrImageNeverPull：not there（镜像 x:1）；下一步：把镜像加载到该节点，或允许拉取镜像",
		"start: start pod: pod a-0 was not scheduled within 1m0s: no nodes; requested: 2 CPU and 4Gi memory; n1: it is cordoned; kubectl uncordon n1; n2: it is not ready: down": "启动：启动 Pod：Pod a-0 在 1 分 0 秒内未能调度：no nodes；申请的资源：CPU 2，内存 4Gi；" +
			"n1：已被 cordon；kubectl uncordon n1；n2：未就绪：down",
		"start: start pod: read the server's password: Secret s has no key \"k\"; write server: {passwordKey: KEY}": "启动：启动 Pod：读取服务器的密码：Secret s 中没有键 \"k\"；请设置 server: {passwordKey: KEY}",
		"start: start container: find a container runtime: no runc on PATH; install it (apt install runc)":          "启动：启动容器：查找容器运行时：PATH 中没有 runc；请安装（apt install runc）",
		"start: start pod: server died before it was ready: the kubelet ended mysqld because its liveness probe failed (Access denied); next: " + record.AdviseProbe.Say(): "启动：启动 Pod：服务器在就绪之前退出：kubelet 终止了 mysqld，因为其 liveness 探针失败（Access denied）；下一步：" +
			"更正该探针的命令，调高其 timeoutSeconds 或 failureThreshold，或增加 startupProbe：规则 K-OPS-04",
		"start: server died before it was ready: the container ended: Error, exit status 1; restarted 0 times; it said: [ERROR] boom": "启动：服务器在就绪之前退出：容器已退出：Error，退出状态 1；已重启 0 次；其日志：[ERROR] boom",
		"external server: tare has no access to its host": "外部服务器：tare 无法访问其主机",
	} {
		why := compare.Ended(recorded)
		if why == nil {
			t.Errorf("%q is no sentence", recorded)
			continue
		}
		if en, zh := English().Reason(*why), chinese.Reason(*why); en != recorded || zh != want {
			t.Errorf("%q and %q, want %q and %q", en, zh, recorded, want)
		}
	}
}

// TestTermsAreThoseOfThePage: the table of docs/report.md has every term with its meaning, in order, and no other.
func TestTermsAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	terms := English().Terms
	var table strings.Builder
	for _, term := range slices.Sorted(maps.Keys(terms)) {
		table.WriteString("| " + term + " | " + terms[term] + " |\n")
	}
	if !strings.Contains(string(page), "|---|---|\n"+table.String()+"\n") {
		t.Errorf("docs/report.md does not have these rows:\n%s", table.String())
	}
	for _, l := range All() {
		for word, name := range l.TermWords {
			if terms[name] == "" || strings.ToLower(word) != word || English().Term(word) != terms[name] {
				t.Errorf("%s: the word %q means %q, which is no term", l.Tag, word, name)
			}
		}
	}
	if English().Term("Rounds") != terms["round"] || English().Term("rule") != "" {
		t.Errorf("Rounds is %q, rule is %q", English().Term("Rounds"), English().Term("rule"))
	}
}

// TestPartsOfTheTimeHaveOneName: text and JSON of a budget name its parts with the same words.
func TestPartsOfTheTimeHaveOneName(t *testing.T) {
	for name := range places() {
		if got := English().Place(name); got != name {
			t.Errorf("JSON has %q, text %q", name, got)
		}
	}
}

// TestNoLoadHasNoThreads: a log that does not say how many threads it had is not said to have had none.
func TestNoLoadHasNoThreads(t *testing.T) {
	for tag, want := range map[string]string{"en": "an unknown number of threads", "zh": "线程数未知"} {
		l, err := Of(tag)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Count(0, "thread"); got != want {
			t.Errorf("%s: %q", tag, got)
		}
	}
}
