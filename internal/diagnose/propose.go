package diagnose

// This file turns findings into changes that a run can measure.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
)

// Proposal is one server as it is, and the changes that its findings ask for.
type Proposal struct {
	Subject string // the arm, or "Deployment mysql"
	// Product and Version are the server's by the files, empty where they do not tell.
	Product manifest.Product
	Version manifest.Version
	// Arm is the server as it is, as YAML on one line.
	Arm     string
	Changes []Change
	// Unmeasured are findings that no arm can show: probes, disruption budgets.
	Unmeasured []LeftOut
	// Unknown are what rules of files could not check.
	Unknown []Finding
	// Notes say what the experiment has otherwise than the files, a sentence each.
	Notes []string

	settings armSettings // of files: what Arm is the text of
	pinned   []string    // options of settings that are defaults
}

// LeftOut is a finding that is not measured.
type LeftOut struct {
	Finding
	Why string
}

// Change is a finding with what an arm does to show that its cause is removed.
type Change struct {
	Name    string // of the arm: the rule's, in small letters
	Finding Finding
	Patch   string // a merge patch of the arm, as YAML on one line
	Edits   []manifest.Edit
}

// add takes a change in where it changes something, and no other asks for the same.
func (p *Proposal) add(f Finding, patch string, edits []manifest.Edit) {
	if patch == "" {
		p.Unmeasured = append(p.Unmeasured, LeftOut{f, whyNoArm(f)})
		return
	}
	if line, err := experiment.OneLine(patch); err == nil {
		patch = line // as an experiment says it, to be compared with one
	}
	name := strings.ToLower(f.Rule)
	for _, c := range p.Changes {
		if c.Patch == patch {
			return
		}
		if c.Name == name {
			name = fmt.Sprintf("%s-%d", strings.ToLower(f.Rule), len(p.Changes)+1)
		}
	}
	p.Changes = append(p.Changes, Change{name, f, patch, edits})
}

// whyNoArm is why a finding has nothing that an arm can have.
func whyNoArm(f Finding) string {
	switch {
	case slices.Contains([]string{"M-VER-01", "M-OPT-01", "M-OPT-02"}, f.Rule):
		return "it decides whether the server starts, not how fast it is"
	case f.Rule == "M-VER-02":
		return "another release is another server, which an experiment names in database"
	case strings.HasPrefix(f.Rule, "M-"):
		return "the fix does not name one value for an option of the server"
	}
	return "no setting of an arm does this: tare runs the server's container alone"
}

// NotChecked are rules that could not be checked for one reason.
type NotChecked struct {
	Why   string
	Rules []string
}

// ByReason are unknown findings by their reason, in their order.
func ByReason(all []Finding) (by []NotChecked) {
	for _, f := range all {
		i := slices.IndexFunc(by, func(n NotChecked) bool { return n.Why == f.Says })
		if i < 0 {
			i, by = len(by), append(by, NotChecked{Why: f.Says})
		}
		if !slices.Contains(by[i].Rules, f.Rule) {
			by[i].Rules = append(by[i].Rules, f.Rule)
		}
	}
	return by
}

// ProposeFiles are the proposals for each database of a set. reread gives the set
// again with some of its files changed.
func ProposeFiles(set *manifest.Set, facts Facts, rules []Rule, reread func(edits []manifest.Edit) (*manifest.Set, error)) ([]Proposal, error) {
	result := Lint(set, facts, rules)
	var all []Proposal
	for i, db := range set.Databases() {
		p := Proposal{Subject: db.Title(), Product: db.Product, Version: db.Version, settings: armOf(db)}
		for _, f := range result.Findings {
			if f.Subject != db.Title() || f.Verdict == RuledOut {
				continue
			}
			if f.Verdict == Unknown {
				p.Unknown = append(p.Unknown, f)
				continue
			}
			patch, edits := f.Change, slices.Concat(f.Edits, f.Proposed)
			// A change that has edits is measured as the file will have it, unless they
			// are sized for another machine than this.
			if len(edits) > 0 && (patch == "" || len(f.Edits) > 0) {
				after, err := reread(edits)
				if err != nil {
					return nil, err
				}
				patch = armOf(db).patch(armOf(after.Databases()[i]))
			}
			p.add(f, patch, edits)
		}
		p.pinned = p.settings.pin(db, p.Changes)
		p.Arm = p.settings.text()
		all = append(all, p)
	}
	return all, nil
}

// ProposeRun is the proposal for an arm of a run: what is confirmed of it at any
// level of the load.
func ProposeRun(findings []Finding, arm experiment.Arm) Proposal {
	p := Proposal{Subject: arm.Name, Arm: arm.Settings()}
	seen := map[string]bool{}
	for _, f := range findings {
		if f.Subject != arm.Name || f.Verdict != Confirmed || seen[f.Rule] {
			continue
		}
		seen[f.Rule] = true
		if arm.Target == "external" && f.Change != "" {
			p.Unmeasured = append(p.Unmeasured, LeftOut{f, "tare changes no setting of a server that ran before; change it there, run the same again, and compare both runs with tare compare"})
			continue
		}
		p.add(f, f.Change, nil)
	}
	return p
}

// Rounds is the number of rounds from which the changes can have verdicts.
func (p Proposal) Rounds(like *experiment.Experiment) int {
	return compare.EnoughRounds(len(p.Changes) * len(like.Load.Threads))
}

// Experiment is the experiment that measures the changes: the server as it is, as
// the baseline, and one remedy for each of them. Load, data and protocol are those
// of another experiment, with the rounds that so many remedies need; arm is what the server as it is is called.
func (p Proposal) Experiment(like *experiment.Experiment, arm string, opening ...string) ([]byte, error) {
	d := experiment.Derived{Name: like.Metadata.Name, Opening: opening, Arms: []experiment.DerivedArm{{Name: arm, Settings: p.Arm}},
		Rounds: p.Rounds(like)}
	if name := d.Name + "-remedy"; experiment.ValidName(name) {
		d.Name = name
	}
	for _, note := range p.Notes {
		d.Opening = append(d.Opening, "Differs from the files: "+note+".")
	}
	for _, c := range p.Changes {
		d.Remedies = append(d.Remedies, experiment.DerivedRemedy{Arm: c.Name, Rule: c.Finding.Rule, Finding: c.Finding.Says, Change: c.Patch})
	}
	return like.Derive(d)
}
