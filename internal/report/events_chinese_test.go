package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// saidOfMembers are tare's own texts of members, as a record has them.
func saidOfMembers() *compare.Result {
	why := record.LoadEndedWhile.Say(record.PromoteMember.Say("2", record.ApplyRelayLog.Say(record.NotApplied.Say("1m0s"))) + "\n" + record.ReceiveAgain.Say("3", "Error 1045"))
	var left []compare.LedgerMember
	for i, text := range []string{
		record.LeftKilled.Say(), record.LeftOldPrimary.Say(), record.LeftSilent.Say(record.AskMember.Say("3", "Error 1045")), record.LeftInState.Say("RECOVERING"),
		record.LeftDatabase.Say(), record.LeftOtherView.Say("2"), record.LeftUncompared.Say("Error 1045"), record.LeftBehind.Say(), record.CheckLedger.Say("Error 1045"),
	} {
		left = append(left, compare.LedgerMember{Number: i + 1, Left: text})
	}
	left[0].Compared, left[0].Lost, left[0].Doubled, left[0].NeverSent = 1, 2, 1, 1
	left[0].Examples = strings.Join([]string{record.EntryLost.Say("3#5"), record.EntryLost.Say("3#6"), record.EntryDoubled.Say("0#1"), record.EntryUnsent.Say("7#1")}, record.BetweenEntries)
	left[0].Balances = record.AccountsDiffer.Say("2", record.AccountOfNobody.Say("7", "6"))
	left[1].Balances = record.AccountsDiffer.Say("1", record.AccountDiffers.Say("3", "5", "6"))
	res := &compare.Result{Ledgers: []compare.Ledger{{Arm: "A1", Threads: 8, Trials: 3, Acknowledged: 900, Members: left}}}
	for i, text := range []string{record.NoPrimary.Say(), record.NoSecondary.Say(), record.NoMember.Say("2"), ""} {
		res.Events = append(res.Events, compare.Event{Arm: "A1", Threads: 8, Number: i + 1, Kind: "pause", Named: "primary", At: 30, Trials: 1, Failed: text})
	}
	for i, text := range []string{why, record.NonePromotable.Say("1", record.LoadEnded.Say()), record.NoneElected.Say("1", record.TimePassed.Say("20s")), record.NoCandidate.Say()} {
		res.Events = append(res.Events, compare.Event{Arm: "A1", Threads: 8, Number: i + 5, Kind: "kill", Named: "2", At: 40, Trials: 1, Lost: compare.Estimate{Mean: 3, Trials: 1}, NotPromoted: 1, WhyNot: text})
	}
	return res
}

// wordsIn are the English words of a text, but for those that other programs and the test say.
func wordsIn(text string) (all []string) {
	for _, word := range regexp.MustCompile(`[A-Za-z][A-Za-z']*`).FindAllString(text, -1) {
		if !slices.Contains([]string{"A", "Error", "RECOVERING"}, word) {
			all = append(all, word)
		}
	}
	return all
}

// TestEventsInChinese: no English word of tare's is left in what is said of members.
func TestEventsInChinese(t *testing.T) {
	doc := reopen(t, "demo")
	report.SetEvents(doc, saidOfMembers())
	zh, err := doc.In("zh")
	if err != nil {
		t.Fatal(err)
	}
	s := sectionOf("faults")
	texts := []string{s.Sentence(zh)}
	for _, table := range s.TablesIn(zh) {
		texts = append(append(texts, table.Caption), table.Head...)
		for _, row := range table.Rows {
			for _, cell := range row {
				texts = append(texts, cell.Text)
			}
		}
	}
	all := strings.Join(texts, "\n")
	if found := wordsIn(all); len(found) > 0 {
		t.Errorf("%q in\n%s", found, all)
	}
	for _, want := range []string{
		"没有数值，原因：没有正在运行的从节点。", "负载先结束了：将成员 2 提升为主节点：应用中继日志：1 分 0 秒后仍未应用完", "且没有其他成员可以提升为主节点：负载先结束了。",
		"丢失：3#5、丢失：3#6、重复：0#1、从未发送：7#1；2 个账户的余额与记录数不符，例如客户端 7：没有余额，记录 6 条；已被杀死", "没有应答：查询成员 3：Error 1045",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q lacks %q", all, want)
		}
	}
	english := strings.Join([]string{s.Sentence(doc), s.TablesIn(doc)[1].Rows[0][8].Text}, "\n")
	for _, want := range []string{"no figures: no secondary is running.", "no figures.", "lost: 3#5, lost: 3#6, duplicated: 0#1, never sent: 7#1; 2 accounts, such as client 7: none and 6; it was killed"} {
		if !strings.Contains(english, want) {
			t.Errorf("%q lacks %q", english, want)
		}
	}
}

// TestUnknownInChinese: why a fact is unknown, and a number that is not known.
func TestUnknownInChinese(t *testing.T) {
	doc := reopen(t, "demo")
	doc.Arms[0].Cgroup = []report.Evidence{{Key: "cgroup.own.cpu.max", PerTrial: report.Unknown(), End: report.Unknown(), Unknown: record.NoHierarchy.Say()}}
	doc.Scalings = []report.Scaling{{Arm: "A1", Lambda: report.Unknown()}}
	zh, err := doc.In("zh")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"arms": "未知：该层级未挂载", "scaling": "未知"} {
		found := false
		for _, table := range sectionOf(id).TablesIn(zh) {
			for _, row := range table.Rows {
				for _, cell := range row {
					found = found || cell.Text == want
					if strings.Contains(cell.Text, "unknown") {
						t.Errorf("%s: a cell is %q", id, cell.Text)
					}
				}
			}
		}
		if !found {
			t.Errorf("%s: no cell is %q", id, want)
		}
	}
	finding := report.Finding{Rule: "C-CPU-01", State: "unknown", Says: "x", Phrases: []diagnose.Phrase{{English: ": %s", Arguments: []diagnose.Phrase{{Value: record.ServerOnNode.Say("n1")}}}}}
	if got, want := zh.Says(finding), "服务器在节点 n1 上；设置 probeNamespace 后由一个 Pod 在那里读取"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
	for _, why := range []string{record.ServerOnNodeLive.Say("n1"), record.ServerOnNodeUnread.Say("n1", string(record.KubeletForbidden))} {
		of := report.Finding{Rule: "C-CPU-01", State: "unknown", Says: "x", Phrases: []diagnose.Phrase{{English: ": %s", Arguments: []diagnose.Phrase{{Value: why}}}}}
		if got := zh.Says(of); strings.Contains(got, "the ") || !strings.Contains(got, "服务器在节点 n1 上；加上 --probe-namespace") {
			t.Errorf("%q is not in Chinese", got)
		}
	}
	if got := finding.Phrases[0].Arguments[0].Value; got != record.ServerOnNode.Say("n1") {
		t.Errorf("the document was changed: %q", got)
	}
}
