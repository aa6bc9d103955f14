package compare

// This file is the table of the server parameters that published comparisons found to
// matter most, with who gave each arm its value.

import (
	"strconv"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/option"
)

// Who gave a server the value of a parameter.
const (
	OwnerArm         = "arm"         // the arm's config
	OwnerExperiment  = "experiment"  // database.config
	OwnerOperator    = "operator"    // the operator that runs the server
	OwnerImage       = "image"       // the image that the operator runs
	OwnerReplication = "replication" // replication needs it
	OwnerForeign     = "external"    // whoever runs the external server
	OwnerManifests   = "manifests"   // the user's own manifests, or their image
	OwnerServer      = "server"      // not set: the server's default, or what it derives
)

// Parameter is one server parameter over all arms.
type Parameter struct {
	Name string // the variable's
	// Values by arm; none where it could not be read, or where the server has no such variable.
	Values map[string]ParameterValue
	// Differs is whether two arms have different values.
	Differs bool
}

// ParameterValue is what an arm's servers had, and who decided it.
type ParameterValue struct {
	Value string // several within one arm are joined by " | "
	Owner string // one of the constants Owner...
	Title string // the operator's name; else ""
}

// parameterNames are the parameters of durability, isolation and storage that decide how fast a server commits and which
// transactions it rolls back, and the size of its memory (KubeBlocks, Does running MySQL on Kubernetes lead to significant
// performance degradation?, 2023, and what those parameters depend on).
func parameterNames() []string {
	return []string{
		"innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "innodb_doublewrite", "innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group",
		"innodb_buffer_pool_size", "innodb_flush_method", "innodb_io_capacity", isolation, "innodb_snapshot_isolation",
	}
}

// parameters are those of them that a server has. Empty where all arms have
// the same values and tare configures every server: the experiment then says it all. arms have what the
// probes read.
func (a *auditor) parameters(arms []Arm) []Parameter {
	var all []Parameter
	others := false
	for _, name := range parameterNames() {
		p := Parameter{Name: name, Values: map[string]ParameterValue{}}
		seen, ineffective := map[string]bool{}, false
		for _, arm := range a.arms {
			values := a.values[keys.MySQLVariablePrefix+name][arm]
			if name == isolation && len(values) == 0 { // as MariaDB calls it before 11.1
				values = a.values[keys.MySQLVariablePrefix+"tx_isolation"][arm]
			}
			if len(values) == 0 {
				continue
			}
			if a.withoutEffect(name, arm, arms) {
				ineffective = true
				continue
			}
			v := ParameterValue{Value: joined(values)}
			v.Owner, v.Title = a.owner(name, arm)
			others = others || v.Owner == OwnerOperator || v.Owner == OwnerImage || v.Owner == OwnerForeign || v.Owner == OwnerManifests
			p.Values[arm] = v
			seen[v.Value] = true
		}
		p.Differs = len(seen) > 1 || ineffective && len(seen) > 0 // in effect in some arms only
		others = others || p.Differs
		if len(p.Values) > 0 {
			all = append(all, p)
		}
	}
	if !others {
		return nil
	}
	return all
}

// withoutEffect is whether a variable is of the two ways to size the redo log the one that an arm's servers
// do not use.
func (a *auditor) withoutEffect(name, arm string, arms []Arm) bool {
	switch name {
	case redoCapacity:
		return a.redoOfFiles(arm, arms)
	case "innodb_log_file_size", "innodb_log_files_in_group":
		return !a.redoOfFiles(arm, arms)
	}
	return false
}

const isolation = "transaction_isolation"

const redoCapacity = "innodb_redo_log_capacity"

// redoOfFiles is whether innodb_log_file_size sizes the redo log of an arm's servers. Where the variables do
// not decide it, the capacity in effect does, or else who has set the variable.
func (a *auditor) redoOfFiles(arm string, arms []Arm) bool {
	text := func(name string) string { return joined(a.values[keys.MySQLVariablePrefix+name][arm]) }
	if !option.FilesMaySizeRedo(text) {
		return text(redoCapacity) == ""
	}
	for i := range arms {
		if c, ok := arms[i].Counter("mysql." + redoCapacity + "_resized"); ok && arms[i].Name == arm {
			return strconv.FormatFloat(c.Max, 'f', 0, 64) != option.DefaultRedoCapacity
		}
	}
	owner, _ := a.owner(redoCapacity, arm)
	return owner != OwnerArm && owner != OwnerExperiment
}

// owner is who gave an arm's servers the value of a variable, and an operator's name. An
// operator that reverts what the experiment asks for is the owner, not the experiment.
func (a *auditor) owner(name, arm string) (owner, title string) {
	var spec experiment.Arm
	known := false
	var shared map[string]string
	if a.run.Experiment != nil {
		spec, known = a.run.Experiment.Arm(arm)
		shared = a.run.Experiment.Database.Config
	}
	operator, got := a.values[keys.OperatorOptionPrefix+name][arm], joined(a.values[keys.MySQLVariablePrefix+name][arm])
	for _, by := range []struct {
		owner   string
		options map[string]string
	}{{OwnerArm, spec.Config}, {OwnerExperiment, shared}} {
		if value, set := asked(by.options, name); set && (len(operator) == 0 || option.Same(value, got)) {
			return by.owner, ""
		} else if set {
			break
		}
	}
	switch {
	case len(operator) > 0:
		return OwnerOperator, joined(operator)
	case len(a.values[keys.ImageOptionPrefix+name][arm]) > 0:
		return OwnerImage, ""
	case len(a.values[keys.ReplicationOptionPrefix+name][arm]) > 0:
		return OwnerReplication, ""
	case spec.Target == "external":
		return OwnerForeign, ""
	case known && spec.Has("manifests"):
		return OwnerManifests, ""
	}
	return OwnerServer, ""
}

// asked is the value that options have for a variable, and whether they have one.
func asked(options map[string]string, name string) (string, bool) {
	for set, value := range options {
		if option.VariableName(set) == option.VariableName(name) {
			return value, true
		}
	}
	return "", false
}
