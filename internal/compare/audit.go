package compare

import (
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/option"
	"github.com/tarebench/tare/internal/record"
)

// Difference is a fact whose value is not the same in every arm.
type Difference struct {
	Key string
	// Values by arm; "" where the arm has no such fact. Several values within
	// one arm are joined by " | ".
	Values   map[string]string
	Declared bool
	Why      *Reason
	// undeclared are the arms whose difference from the baseline nothing
	// explains; fatal when such a difference makes the servers incomparable.
	undeclared map[string]bool
	fatal      bool
}

// breaks reports whether the difference makes a contrast invalid.
func (d Difference) breaks(base, arm string) bool {
	return d.fatal && d.undeclared[arm] && d.Values[base] != "" && d.Values[arm] != ""
}

// audit lists the effective differences between arms: what was read from the
// kernel and from the running servers, not what was asked for. What differs must
// be what the experiment declares.
func (a *auditor) audit() []Difference {
	var all []Difference
	for _, key := range a.keys() {
		if d, ok := a.difference(key); ok {
			all = append(all, d)
		}
	}
	// The undeclared are what a reader must see.
	slices.SortStableFunc(all, func(x, y Difference) int {
		switch {
		case x.Declared == y.Declared:
			return strings.Compare(x.Key, y.Key)
		case x.Declared:
			return 1
		}
		return -1
	})
	return all
}

type auditor struct {
	run    *record.Run
	base   string
	arms   []string
	values map[string]map[string][]string // key -> arm -> distinct values in order
	unread map[string]bool                // key@arm: a trial of it could not read that
	known  map[string]bool                // arm -> its server's variables were read
	trials map[string]int                 // arm -> trials with facts
	ready  map[string]bool                // arm -> a server of it answered, so that all facts were read
	moving map[string]bool                // read at the end as well
	bodies map[string]string              // arm -> its settings
}

func newAuditor(r *record.Run, base string) *auditor {
	a := &auditor{
		run: r, base: base, values: map[string]map[string][]string{}, unread: map[string]bool{}, known: map[string]bool{},
		trials: map[string]int{}, ready: map[string]bool{}, moving: map[string]bool{}, bodies: bodies(r),
	}
	for _, c := range cells(r) {
		if !slices.Contains(a.arms, c.arm) {
			a.arms = append(a.arms, c.arm)
		}
	}
	for _, t := range r.Trials {
		// A trial that failed may have been told little of its place, or nothing: what
		// it lacks is not a difference, and no comparison holds it.
		// The facts of an imported trial are those of its load (otherWork).
		if k := kind(t); len(t.Facts) > 0 && k != incomplete && k != failed && r.Imported == nil {
			a.add(t)
		}
	}
	return a
}

// bodies are the arms' settings, so that two arms with the same settings are known
// to declare no difference at all.
func bodies(r *record.Run) map[string]string {
	all := map[string]string{}
	if r.Experiment != nil {
		for _, a := range r.Experiment.Arms {
			all[a.Name] = a.Canonical()
		}
	}
	return all
}

func (a *auditor) add(t *record.Trial) {
	arm := t.Header.Arm
	a.trials[arm]++
	a.ready[arm] = a.ready[arm] || t.End != nil && t.End.Outcome != record.NotReady
	for _, f := range t.Facts {
		if f.Phase == "end" {
			a.moving[f.Key] = true // what is read twice is a state, not a setting
			continue
		}
		if f.Unknown != "" {
			a.unread[f.Key+"@"+arm] = true
			continue
		}
		if a.values[f.Key] == nil {
			a.values[f.Key] = map[string][]string{}
		}
		if !slices.Contains(a.values[f.Key][arm], f.Value) {
			a.values[f.Key][arm] = append(a.values[f.Key][arm], f.Value)
		}
		if strings.HasPrefix(f.Key, keys.MySQLVariablePrefix) {
			a.known[arm] = true
		}
	}
}

func (a *auditor) keys() []string { return slices.Sorted(maps.Keys(a.values)) }

// difference reports how arms differ in a key, unless they do not, or the key
// says nothing about how an arm is run.
func (a *auditor) difference(key string) (Difference, bool) {
	values := a.values[key]
	if a.moving[key] && key != keys.PodNode || !hashKey(key) && a.perStart(key) || perStartKey(key) {
		return Difference{}, false
	}
	d := Difference{Key: key, Values: map[string]string{}, Declared: true, undeclared: map[string]bool{}, fatal: fatalKey(key)}
	for _, arm := range a.arms {
		if a.readable(arm, key) {
			d.Values[arm] = joined(values[arm])
		}
	}
	if hashKey(key) && a.changed(key) {
		for _, arm := range a.arms {
			d.undeclared[arm] = arm != a.base
		}
		why := reason("changed-in-run")
		d.Declared, d.Why = false, &why
		return d, true
	}
	differs := false
	for _, arm := range a.arms {
		value, ok := d.Values[arm]
		if !ok || value == d.Values[a.base] {
			continue
		}
		differs = true
		why, declared := a.explain(key, arm)
		if !declared {
			d.Declared, d.undeclared[arm] = false, true
		}
		if d.Why == nil || !declared {
			d.Why = &why
		}
	}
	_, haveBase := d.Values[a.base]
	return d, differs && haveBase
}

// changed says that trials of one arm have different values.
func (a *auditor) changed(key string) bool {
	for _, seen := range a.values[key] {
		if len(seen) > 1 {
			return true
		}
	}
	return false
}

// joined tells a value that is empty from one that is absent.
func joined(seen []string) string {
	sorted := slices.Clone(seen)
	slices.Sort(sorted)
	if len(sorted) > 0 && sorted[0] == "" {
		sorted[0] = emptyValue
	}
	return strings.Join(sorted, " | ")
}

const emptyValue = `""`

// readable is false where an arm's facts cannot hold the key: no trial of it got
// that far, or none could read it. What is unknown is not a difference, but for what would
// make two databases of it: that it is not known belongs before a reader.
func (a *auditor) readable(arm, key string) bool {
	if !fatalKey(key) && a.unread[key+"@"+arm] && len(a.values[key][arm]) == 0 {
		return false
	}
	if strings.HasPrefix(key, keys.MySQLVariablePrefix) {
		return a.known[arm]
	}
	return a.ready[arm] || len(a.values[key][arm]) > 0
}

// perStart says that a value belongs to one start of a server rather than to the
// arm: it changes from trial to trial in every arm that was started twice.
func (a *auditor) perStart(key string) bool {
	repeated := false
	for arm, seen := range a.values[key] {
		if a.trials[arm] < 2 {
			continue
		}
		if len(seen) < 2 {
			return false
		}
		repeated = true
	}
	return repeated
}

// explain says what in the experiment makes an arm differ from the baseline in a
// key, or that nothing does.
func (a *auditor) explain(key, arm string) (Reason, bool) {
	if name, ok := strings.CutPrefix(key, keys.MySQLVariablePrefix); ok {
		return a.explainVariable(name, arm)
	}
	switch {
	case serverKey(key) && ownServers(a.run, a.base, arm):
		return reason("of-its-server"), true
	case key == keys.ManifestsSHA256 && ownManifests(a.run, a.base, arm):
		return reason("of-its-manifests"), true
	case key == keys.ManifestsSHA256 && a.run.Experiment != nil:
		return reason("declared-alike"), false
	case key == keys.PodNode && a.onTwoNodes(arm):
		return a.explainNodes(arm)
	case !placeKey(key) && !a.onOneNode(key, arm):
		return reason("not-declared"), false
	case a.sameBody(arm):
		return reason("declared-alike"), false
	}
	return reason("follows-from-target"), true
}

// onOneNode says that a fact is of a node of Kubernetes, and that the arm or the baseline is on
// none. Between two nodes the same fact is a difference that the experiment has to declare.
func (a *auditor) onOneNode(key, arm string) bool {
	return nodeKey(key) && (len(a.values[key][arm]) == 0) != (len(a.values[key][a.base]) == 0)
}

func (a *auditor) explainVariable(name, arm string) (Reason, bool) {
	if r, declared, ok := a.explainOperator(name, arm); ok {
		return r, declared
	}
	if a.run.Experiment != nil {
		for _, who := range []string{a.base, arm} {
			spec, _ := a.run.Experiment.Arm(who)
			if _, set := asked(spec.Config, name); set {
				return reason("set-in-config").name("arm", who), true
			}
		}
	}
	if who := a.setByManifests(name, arm); who != "" {
		return reason("set-by-manifests").name("arm", who), true
	}
	if who := a.replicated(name, arm); who != "" {
		return reason("set-by-replication").name("arm", who), true
	}
	if who := foreign(a.run, a.bodies, a.base, arm); who != "" {
		return reason("external-options").name("arm", who), true
	}
	if ownServers(a.run, a.base, arm) && !a.askedOfAll(name) {
		return reason("of-its-server"), true
	}
	if option := a.derived(name, arm); option != "" {
		return reason("derived-from-option").name("option", option), true
	}
	if from, ok := derivedVariables()[name]; ok && !a.sameBody(arm) {
		return reason("derived-by-server").part("from", reason(from)), true
	}
	return reason("not-declared"), false
}

// askedOfAll says that the experiment asks every arm for a variable.
func (a *auditor) askedOfAll(name string) bool {
	if a.run.Experiment == nil {
		return false
	}
	_, all := asked(a.run.Experiment.Database.Config, name)
	return all
}

// derived is the option from which the servers of two arms compute a variable; "" if there is none,
// or if the experiment asks every arm for the variable itself.
func (a *auditor) derived(name, arm string) string {
	if a.run.Experiment == nil || a.askedOfAll(name) {
		return ""
	}
	base, _ := a.run.Experiment.Arm(a.base)
	other, _ := a.run.Experiment.Arm(arm)
	if option := derivedFrom(name, base, other); option != "" {
		return option
	}
	return a.derivedFromManifests(name, arm)
}

// explainOperator says whether an operator gave one of two arms its value. Where the
// experiment asks all arms for a value, the operator has not kept it, and the servers
// are not the declared ones; otherwise the operator's own option, and the server that it
// runs, are part of what is compared.
func (a *auditor) explainOperator(name, arm string) (_ Reason, declared, ok bool) {
	for _, who := range []string{arm, a.base} {
		owner := a.values[keys.OperatorOptionPrefix+option.VariableName(name)][who]
		title := a.values[keys.OperatorName][who]
		if len(title) == 0 || a.run.Experiment == nil {
			continue
		}
		if value, all := asked(a.run.Experiment.Database.Config, name); all {
			return reason("reverted-by-operator").name("arm", who).name("operator", title...).name("asked", value), false, true
		}
		spec, _ := a.run.Experiment.Arm(who)
		if _, set := asked(spec.Config, name); set {
			owner = nil // the arm's own
		}
		if len(owner) > 0 {
			return reason("set-by-operator").name("arm", who).name("operator", owner...), true, true
		}
	}
	for _, who := range []string{arm, a.base} {
		if title := a.values[keys.OperatorName][who]; len(title) > 0 && !a.configured(name) && !a.sameBody(arm) {
			return reason("operator-server").name("arm", who).name("operator", title...), true, true
		}
	}
	return Reason{}, false, false
}

// replicated is the one of two arms whose replication gives it a variable's value; "" if
// neither's does, or if both are written alike.
func (a *auditor) replicated(name, arm string) string {
	for _, who := range []string{arm, a.base} {
		mode := a.values[keys.ReplicationMode][who]
		own := a.values[keys.ReplicationOptionPrefix+option.VariableName(name)][who]
		if len(mode) > 0 && !a.sameBody(arm) && (len(own) > 0 || replicationVariable(name) || name == "version" && a.sameButLog(arm)) {
			return who
		}
	}
	return ""
}

// sameButLog says that two arms have one version: MariaDB adds -log to it where the binary
// log is on (sql/mysqld.cc, set_server_version).
func (a *auditor) sameButLog(arm string) bool {
	version := func(of string) string {
		return strings.TrimSuffix(joined(a.values[keys.MySQLVariablePrefix+"version"][of]), "-log")
	}
	return version(arm) == version(a.base)
}

// configured is whether any arm sets the option itself.
func (a *auditor) configured(name string) bool {
	if a.run.Experiment == nil {
		return false
	}
	return slices.ContainsFunc(a.run.Experiment.Arms, func(arm experiment.Arm) bool {
		_, set := asked(arm.Config, name)
		return set
	})
}

// foreign is the one of two arms that is a server someone else runs, the baseline
// if both are; "" if neither is, or if both are written alike and so name one
// server. To name such a target is to declare another server: the contrast is of
// servers and places together, which a warning says.
func foreign(r *record.Run, bodies map[string]string, base, arm string) string {
	if r.Experiment == nil || alike(bodies, base, arm) {
		return ""
	}
	for _, name := range []string{base, arm} {
		if arm, ok := r.Experiment.Arm(name); ok && arm.Target == "external" {
			return name
		}
	}
	return ""
}

func (a *auditor) sameBody(arm string) bool { return alike(a.bodies, a.base, arm) }

// alike says that the file declares no difference between two arms.
func alike(bodies map[string]string, base, arm string) bool {
	b, known := bodies[base]
	return known && b == bodies[arm]
}
