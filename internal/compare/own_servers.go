package compare

// This file is arms that the experiment gives servers of different files: two releases, two products, two builds.

import (
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/option"
	"github.com/tarebench/tare/internal/record"
)

// ownServers says that the experiment declares other server files for one of two arms than for the other: the
// servers are then what is compared, and the variables that are not set come with them. Two targets
// whose servers differ declare places, not servers: their difference stays undeclared.
func ownServers(r *record.Run, base, arm string) bool {
	if r.Experiment == nil {
		return false
	}
	one, known := r.Experiment.Arm(base)
	other, too := r.Experiment.Arm(arm)
	if !known || !too {
		return false
	}
	if one.Database != nil || other.Database != nil {
		return r.Experiment.Server(one).Source() != r.Experiment.Server(other).Source()
	}
	image, given := one.Setting("image")
	others, too := other.Setting("image")
	return one.Target == other.Target && given && too && image != others
}

// ownManifests says that the experiment declares other objects for one of two arms than for the other. Files and
// patches make them, in a namespace that a kubeconfig may name: nothing else that an arm says is in their hash.
func ownManifests(r *record.Run, base, arm string) bool {
	if r.Experiment == nil {
		return false
	}
	one, known := r.Experiment.Arm(base)
	other, too := r.Experiment.Arm(arm)
	return known && too && !one.SameIn(other, []string{"manifests", "patches", "namespace", "kubeconfig", "context"})
}

// setByManifests is the one of two arms whose manifests set a variable's option, where the experiment gives the two
// other manifests or patches; "" if neither does.
func (a *auditor) setByManifests(name, arm string) string {
	if a.run.Experiment == nil || a.askedOfAll(name) {
		return ""
	}
	base, _ := a.run.Experiment.Arm(a.base)
	other, _ := a.run.Experiment.Arm(arm)
	if !base.Has("manifests") || !other.Has("manifests") || base.SameIn(other, []string{"manifests", "patches"}) {
		return ""
	}
	for _, who := range []string{arm, a.base} {
		if len(a.values[keys.ManifestsOptionPrefix+option.VariableName(name)][who]) > 0 {
			return who
		}
	}
	return ""
}

// derivedFromManifests is the option that the manifests of two arms set to different values, and from which their
// servers compute a variable; "" if there is none.
func (a *auditor) derivedFromManifests(name, arm string) string {
	for _, d := range derivations() {
		values := a.values[keys.MySQLVariablePrefix+d.option]
		if d.has(name) && joined(values[arm]) != joined(values[a.base]) && a.setByManifests(d.option, arm) != "" {
			return d.option
		}
	}
	return ""
}

// twoReleases says of each contrast between servers of different files what it is a comparison of, once
// for all levels of the load.
func twoReleases(r *record.Run, res *Result) []Reason {
	versions := map[string]string{}
	for _, d := range res.Differences {
		if d.Key == keys.MySQLVariablePrefix+"version" {
			versions = d.Values
		}
	}
	var all []Reason
	told := map[string]bool{}
	for _, c := range res.Contrasts {
		if told[c.Arm] || !ownServers(r, c.Baseline, c.Arm) || versions[c.Arm] == versions[c.Baseline] {
			continue
		}
		told[c.Arm] = true
		all = append(all, reason("two-releases").name("arm", c.Arm).name("version", versions[c.Arm]).
			name("other", c.Baseline).name("others", versions[c.Baseline]).count("n", differing(res, c)))
	}
	return all
}
