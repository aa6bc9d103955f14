package live

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

func watchedServer() *Report {
	return &Report{
		Writes: "tare explain --live db --experiment try.yaml", Server: "/run/mysqld.sock", Version: "9.7.4", Seconds: 20, Unit: "transaction", Rate: 120,
		Budget: []report.Spent{{Name: "a transaction", Milliseconds: 40}, {Name: "on a CPU", Milliseconds: 10}},
		Causes: []Cause{
			{Rule: "C-CPU-01", Title: "CPU quota", State: presentState, Evidence: "throttled <script>alert(1)</script>", Fix: "raise it", Change: "{cpu: max}"},
			{Rule: "C-BP-01", Title: "Buffer pool", State: "ruled-out", Evidence: "none"},
		},
		ProbesCPU: 0.001, ServerTime: 0.002,
	}
}

// TestLivePage: the page has the causes and the budget, and nothing of a server's text is
// executed.
func TestLivePage(t *testing.T) {
	var b bytes.Buffer
	if err := watchedServer().Write(&b, "html", language.English()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"Present: CPU quota, C-CPU-01. The largest part of an average transaction: on a CPU, 10.000 of 40.000 ms.", "&lt;script&gt;alert(1)", `<rect width="25" height="10"/>`, "{cpu: max}", "120.0 transactions/s", "ruled-out", "--experiment try.yaml"} {
		if !strings.Contains(page, want) {
			t.Errorf("nothing of %s in the page", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "http://") || strings.Contains(page, "https://") {
		t.Error("the page has a script or loads something")
	}
}

// chineseServer is watchedServer with what its rules say in phrases, and no budget.
func chineseServer() *Report {
	r := watchedServer()
	r.Budget, r.ProbesOn, r.Ended, r.ProbesCPU = nil, "node-1", 7.5, report.Unknown()
	r.NoBudget("threads", "permission denied")
	r.Causes[0] = CauseOf(diagnose.Finding{
		Rule: "C-CPU-01", Title: "CPU quota", Verdict: diagnose.Confirmed, Says: "throttled in 58 % of 220 CFS periods",
		Phrases: []diagnose.Phrase{{English: "throttled in %.0f %% of %.0f CFS periods", Arguments: []diagnose.Phrase{{Value: "58"}, {Value: "220"}}}},
		Fix:     "raise or remove the CPU limit", FixPhrase: diagnose.Phrase{English: "raise or remove the CPU limit"}, Change: "{cpu: max}",
	})
	r.Causes[1] = CauseOf(diagnose.Finding{Rule: "C-BP-01", Title: "Buffer pool", Verdict: diagnose.Unknown, Says: "no readings of X", Phrases: []diagnose.Phrase{{English: "no readings of %s", Arguments: []diagnose.Phrase{{Value: "X"}}}}})
	return r
}

// TestLiveChinese: every format but JSON is in Chinese.
func TestLiveChinese(t *testing.T) {
	zh, err := language.Of("zh")
	if err != nil {
		t.Fatal(err)
	}
	const want = `/run/mysqld.sock，9.7.4，观察 20.0 秒：120.0 事务/秒
开始 7.5 秒后，服务器终止或不再响应。报告只包含此前的时间。
存在：CPU 配额使服务器被限流（CFS throttling），C-CPU-01。
“存在”指计数器或设置显示该状况。其代价未测量：一次观察没有基准。

耗时构成未知：未读取服务器线程的 CPU 时间：permission denied。

存在：C-CPU-01，CPU 配额使服务器被限流（CFS throttling）
  在 220 个 CFS 周期中有 58% 被限流
  修复：提高或去掉 CPU limit

未知，按所缺内容
  C-BP-01: X

值得测量的改动
  C-CPU-01: {cpu: max}
  测量命令：tare explain --live db --experiment try.yaml

观察占用节点 node-1 上一个 CPU 的时间：未知。服务器处理 tare 查询的时间：0.20%。
`
	var b bytes.Buffer
	if err := chineseServer().Write(&b, "text", zh); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for format, wants := range map[string][]string{
		"md":   {"| 状态 | 规则 | 原因 | 依据 | 修复方法 |", "| 存在 | C-CPU-01 |", "值得测量的改动："},
		"html": {`<html lang="zh">`, "存在：CPU 配额使服务器被限流（CFS throttling），C-CPU-01。", "在 220 个 CFS 周期中有 58% 被限流。修复：提高或去掉 CPU limit", ">原因与设置<"},
		"json": {`"state": "present"`, `"evidence": "throttled in 58 % of 220 CFS periods"`, `"budget_unknown": "the CPU time of the server's threads was not read: permission denied"`},
	} {
		b.Reset()
		if err := chineseServer().Write(&b, format, zh); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: nothing of %s in\n%s", format, want, b.String())
			}
		}
	}
	b.Reset()
	if err := chineseServer().WriteChange(&b, chineseServer(), time.Date(2026, 11, 26, 10, 0, 5, 0, time.UTC), zh); err != nil || b.String() != "10:00:05：120.0 事务/秒，存在的原因：1 个\n" {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestLiveText: the conclusion is the second line, and causes that are ruled out stand behind those that are not.
func TestLiveText(t *testing.T) {
	const want = `/run/mysqld.sock, 9.7.4, watched for 20.0 s: 120.0 transactions/s
Present: CPU quota, C-CPU-01. The largest part of an average transaction: on a CPU, 10.000 of
40.000 ms.
Present means that the counters or the settings show the condition. What it costs was not measured:
one span has no baseline.

time budget of an average transaction
    a transaction  40.000 ms
         on a CPU  10.000 ms
Counters overlap: a wait that two of them count is in the first row that has it. A cause below has
the whole of its own counter, which can be more.

present: C-CPU-01: CPU quota
  throttled <script>alert(1)</script>
  Fix: raise it

ruled out by the counters
  C-BP-01: none

changes to measure
  C-CPU-01: {cpu: max}
  Measure them with: tare explain --live db --experiment try.yaml

Watching took 0.10 % of one CPU on this machine. The server worked on tare's queries for 0.20 % of
the time.
`
	var b bytes.Buffer
	if err := watchedServer().Write(&b, "text", language.English()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLiveUnknown: rules of which nothing is known stand in one line for each thing that is missing, uncut, and a rule
// that the settings decide is not among them.
func TestLiveUnknown(t *testing.T) {
	const why = "the server is on node worker-with-a-long-name-2; --probe-namespace lets a pod read there (docs/live.md); these credentials may not get nodes/proxy; docs/kubernetes-rbac.yaml has the rule, in the section of the kubelet"
	r := watchedServer()
	r.Causes = append(r.Causes,
		Cause{Rule: "C-CPU-01", State: unknownState, Title: "a", Evidence: "cpu.stat of its cgroup was not read: " + why},
		Cause{Rule: "C-CPU-03", State: unknownState, Title: "b", Evidence: "how long its threads waited for a CPU was not read: " + why},
		Cause{Rule: "C-CPU-06", State: unknownState, Title: "c", Evidence: "no readings of the CPU time of the machine: " + why},
		Cause{Rule: "K-CPU-05", State: unknownState, Title: "d", Evidence: "needs a baseline"},
		Cause{Rule: "K-STO-01", State: unknownState, Title: "e", Evidence: "no readings of the file system: " + why})
	r.Settings = append(r.Settings, Cause{Rule: "K-STO-01", State: presentState, Title: "e", Evidence: "the data directory is an emptyDir"})
	var b bytes.Buffer
	if err := r.Write(&b, "text", language.English()); err != nil {
		t.Fatal(err)
	}
	want := "\nunknown, by what is missing\n  C-CPU-03 C-CPU-06: " + why + "\n  K-CPU-05: needs a baseline\n"
	if !strings.Contains(oneLine(b.String()), oneLine(want)) || strings.Count(b.String(), "K-STO-01: ") != 1 {
		t.Errorf("want %s in\n%s", want, b.String())
	}
}

// TestLivePresent: what the report names as present is counted, a setting as well as a cause, so that the exit code
// follows from what is read; a hint is not.
func TestLivePresent(t *testing.T) {
	for _, state := range []string{presentState, "hint", ruledOutState, unknownState} {
		r := watchedServer()
		r.Causes[0].State = ruledOutState
		r.Settings = []Cause{{Rule: "K-STO-01", State: state, Title: "Data on the overlay", Evidence: "an emptyDir"}}
		for _, l := range language.All() {
			var b bytes.Buffer
			if err := r.Write(&b, "text", l); err != nil {
				t.Fatal(err)
			}
			named := strings.Contains(b.String(), viewOf(r, l).say("watched.named", "cause", "Data on the overlay", "rule", "K-STO-01"))
			if named != (state == presentState) || named != (r.Present() == 1) {
				t.Errorf("%s: %d present in\n%s", state, r.Present(), b.String())
			}
		}
	}
}

// TestLiveChange: a cause that appears or goes is shown with the time, one that stays is not.
func TestLiveChange(t *testing.T) {
	before, after := watchedServer(), watchedServer()
	after.Causes[0].State, after.Causes[1].State = "ruled-out", presentState
	var b bytes.Buffer
	if err := after.WriteChange(&b, before, time.Date(2026, 11, 23, 10, 0, 5, 0, time.UTC), language.English()); err != nil {
		t.Fatal(err)
	}
	const want = "10:00:05: 120.0 transactions/s, causes present: 1\n  appeared: C-BP-01: Buffer pool\n    none\n  no longer present: C-CPU-01: CPU quota\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	if err := after.WriteChange(&b, after, time.Date(2026, 11, 23, 10, 0, 10, 0, time.UTC), language.English()); err != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestRowLocks: where row locks are the largest part, no rule names a cause, and the report says where the statements
// are.
func TestRowLocks(t *testing.T) {
	r := watchedServer()
	r.Causes, r.Budget = nil, []report.Spent{{Name: compare.SpentWhole, Milliseconds: 40}, {Name: compare.SpentLock, Milliseconds: 30}}
	var b bytes.Buffer
	if err := r.Write(&b, "text", language.English()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(oneLine(b.String()), "row locks, 30.000 of 40.000 ms. Where to look: sys.innodb_lock_waits") {
		t.Error(b.String())
	}
}

// TestQueued: sessions that wait for row locks all the time are among the answers, with and without a budget; of few,
// there is a line.
func TestQueued(t *testing.T) {
	for _, c := range []struct {
		sessions report.Number
		budget   bool
		want     string
	}{
		{6.5, false, "\nRow locks: on average 6.50 sessions waited for one (40000.0 waits/s). Where to look: sys.innodb_lock_waits"},
		{6.5, true, "\nRow locks: on average 6.50 sessions waited for one (40000.0 waits/s). Where to look: "},
		{0.1, true, "which can be more.\n\nRow locks: on average 0.10 sessions waited for one (40000.0 waits/s).\n\n"},
		{0.1, false, "\n\nRow locks: on average 0.10 sessions waited for one (40000.0 waits/s).\n\n"},
	} {
		r := watchedServer()
		if r.Causes, r.LockWaits, r.LockSessions = nil, 40000, c.sessions; !c.budget {
			r.Budget = nil
			r.NoBudget("userstat-off", "")
		}
		for _, format := range []string{"text", "md", "html"} {
			var b bytes.Buffer
			if err := r.Write(&b, format, language.English()); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(b.String(), "Row locks: on average"); n != 1 || format == "text" && !strings.Contains(oneLine(b.String()), oneLine(c.want)) {
				t.Errorf("%+v, %s: %d times\n%s", c, format, n, b.String())
			}
		}
	}
}

// TestFullMachine: without an idle CPU, that is said before the causes; parts whose counters are longer than the whole
// are not ranked, and what a client waited for at most is said.
func TestFullMachine(t *testing.T) {
	zh, err := language.Of("zh")
	if err != nil {
		t.Fatal(err)
	}
	r := watchedServer()
	r.OthersCPUs, r.CPUs, r.PerConnection = 1.82, 2, 2.5
	r.Budget = []report.Spent{{Name: compare.SpentWhole, Milliseconds: 1.149}, {Name: compare.SpentWaiting, Milliseconds: 1.219}}
	for _, c := range []struct {
		of   *language.Language
		want string
	}{
		{language.English(), "\nThe machine had no idle CPU, and everything but the server used 1.8 of its 2 CPUs. Present: CPU quota, C-CPU-01. The parts of an average transaction are not ranked: their counters have 1.219 ms together, more than the 1.149 ms that the server timed. Counters overlap, and a thread also waits for a CPU before its statement begins, which the server does not time. A connection completed a transaction every 2.500 ms on average: its client waited for that long at most.\n"},
		{zh, "\n机器没有空闲的 CPU：除该服务器外的一切占用了 2 个 CPU 中的 1.8 个。存在：CPU quota，C-CPU-01。平均每个事务的各部分不排序：其计数器合计 1.219 ms，超过服务器计时的 1.149 ms。计数器有重叠；线程在语句开始之前也会等待 CPU，而服务器不计这段时间。每个连接平均每 2.500 ms 完成一个事务：客户端最多等待这么久。\n"},
	} {
		var b bytes.Buffer
		if err := r.Write(&b, "text", c.of); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(b.String()), ""), strings.Join(strings.Fields(c.want), "")) {
			t.Errorf("%s\nwant %s", b.String(), c.want)
		}
	}
}
