package compare

// From which trials the audit knows an arm, and what of it is unknown.

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// What changes with every start of every arm is not the arm's. One arm that was started twice with one
// value keeps the difference, and an arm that was started once says nothing about it.
func TestAuditOfWhatChangesWithAStart(t *testing.T) {
	for _, c := range []struct {
		name, bare, pod string
		once            bool // pod was started once
		listed          int
	}{
		{"changes in both", "a#", "b#", false, 0},
		{"changes in one", "a", "b#", false, 1},
		{"changes in one, the other started once", "a#", "b", true, 0},
		{"the same in one, the other started once", "a", "b", true, 1},
		{"differs and never changes", "a", "b", false, 1},
	} {
		r := equalArms(t, 2)
		each(r, "bare", facts("mysql.variable.x", c.bare))
		first := true
		each(r, "pod", func(tr *record.Trial) {
			if first || !c.once {
				facts("mysql.variable.x", c.pod)(tr)
			} else {
				end(record.Failed, "no such runtime")(tr)
			}
			first = false
		})
		if d := Run(r).Differences; len(d) != c.listed || len(d) > 0 && d[0].Why.Code != "not-declared" {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

// TestAuditOfArmsReadInPart: a value that one trial could not read is that of the others, and an arm that
// was ready once lacks what another has, whatever became of its later trials.
func TestAuditOfArmsReadInPart(t *testing.T) {
	for name, last := range map[string]func(*record.Trial){
		"not readable in the last trial": func(tr *record.Trial) {
			tr.Facts = append(tr.Facts, record.Fact{Key: "host.arch", Phase: "start", Unknown: "permission denied"})
		},
		"not ready in the last trial": end(record.NotReady, "no answer"),
	} {
		r := equalArms(t, 6)
		each(r, "bare", facts("host.arch", "amd64", "host.board", "a"))
		n := 0
		each(r, "pod", func(tr *record.Trial) {
			facts("host.rack", "a")(tr)
			if n++; n == 6 {
				last(tr)
				return
			}
			facts("host.arch", "arm64")(tr)
		})
		var keys []string
		for _, d := range Run(r).Differences {
			keys = append(keys, d.Key)
		}
		if d := cmp.Diff([]string{"host.arch", "host.board", "host.rack"}, keys); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A trial without facts, an incomplete one and one that failed are none of the starts that an arm is
// known from, and a server that was never ready is not known by what it lacks.
func TestAuditCountsWhatRan(t *testing.T) {
	r := equalArms(t, 6)
	each(r, "bare", facts("host.arch", "amd64"))
	n := 0
	each(r, "pod", func(tr *record.Trial) {
		if n++; n == 1 {
			facts("host.arch", "arm64")(tr)
			tr.End, tr.Incomplete = nil, "the stream has no end"
		}
	})
	if d := Run(r).Differences; len(d) != 0 {
		t.Errorf("a difference of a trial that was interrupted, or of trials of which nothing was read: %+v", d)
	}
}

// An arm that failed before its facts were read has not "none" of each: nothing of it
// is compared, and the list stays short.
func TestAuditLeavesFailedTrialsOut(t *testing.T) {
	r := equalArms(t, 6)
	each(r, "bare", facts("host.arch", "amd64", "server.sha256", "a"))
	each(r, "pod", facts("pod.qos", "Guaranteed"))
	each(r, "pod", end(record.Failed, "no such runtime"))
	if d := Run(r).Differences; len(d) > 0 {
		t.Errorf("differences of an arm that never ran: %v", d)
	}
}

// Data or a server's program that changed while the run was under way are no basis for a
// comparison, even where every arm had as many trials on each.
func TestAuditOfWhatChangedInTheRun(t *testing.T) {
	for _, key := range []string{"data.sha256", "server.sha256"} {
		r := equalArms(t, 6)
		for _, trial := range r.Trials {
			value := "before"
			if trial.Header.Round > 3 {
				value = "after"
			}
			facts(key, value)(trial)
		}
		res := Run(r)
		if len(res.Differences) != 1 || res.Differences[0].Key != key || res.Differences[0].Why.Code != "changed-in-run" || res.Contrasts[0].Verdict != Invalid {
			t.Errorf("%s: %s, differences %+v", key, res.Contrasts[0].Verdict, res.Differences)
		}
	}
}

// What nobody could read of an arm is unknown, and no difference; whose binary or data are
// unknown may be another database, which a reader has to see.
func TestAuditOfWhatIsUnknown(t *testing.T) {
	r := equalArms(t, 6)
	each(r, "bare", facts("data.filesystem", "ext4", "server.sha256", "a"))
	each(r, "pod", func(tr *record.Trial) {
		for _, key := range []string{"data.filesystem", "server.sha256"} {
			tr.Facts = append(tr.Facts, record.Fact{Key: key, Phase: "start", Unknown: "permission denied"})
		}
	})
	if d := Run(r).Differences; len(d) != 1 || d[0].Key != "server.sha256" {
		t.Errorf("got %+v", d)
	}
}

// What an arm lacks whose server was killed before it was ready is not known, whichever arm
// it is; what was read of it counts.
func TestAuditOfArmsThatWereNeverReady(t *testing.T) {
	for _, killed := range []string{"bare", "pod"} {
		r := equalArms(t, 6)
		each(r, "bare", facts("host.rack", "a"))
		each(r, "pod", facts("host.rack", "b"))
		each(r, map[string]string{"bare": "pod", "pod": "bare"}[killed], facts("host.arch", "amd64", "server.sha256", "a"))
		each(r, killed, end(record.NotReady, "out of memory"))
		if d := Run(r).Differences; len(d) != 1 || d[0].Key != "host.rack" {
			t.Errorf("%s was killed: %v", killed, d)
		}
	}
}

// What is read at both ends is a state: it is evidence, not a difference.
func TestAuditLeavesStatesOut(t *testing.T) {
	r := equalArms(t, 6)
	for arm, wait := range map[string]string{"bare": "100", "pod": "900"} {
		each(r, arm, func(tr *record.Trial) {
			for _, f := range [][3]string{{"server.run_ns", "0", "start"}, {"server.run_ns", "300", "end"},
				{"server.runqueue_wait_ns", "0", "start"}, {"server.runqueue_wait_ns", wait, "end"}, {"server.swap", wait, "start"}, {"server.swap", wait, "end"}} {
				tr.Facts = append(tr.Facts, record.Fact{Key: f[0], Value: f[1], Phase: f[2]})
			}
		})
	}
	res := Run(r)
	if len(res.Differences) != 0 {
		t.Errorf("got %+v", res.Differences)
	}
	if ratio, ok := res.Arms[1].Waited(); !ok || ratio != 3 {
		t.Errorf("waited %v, %v", ratio, ok)
	}
}
