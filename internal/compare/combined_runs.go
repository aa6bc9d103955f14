package compare

// This file says which runs may be taken together, and which of them are of one machine.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// byTime sorts runs by when they began, with the names of their machines.
func byTime(runs []*record.Run, names []string) ([]*record.Run, []string) {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Or(Began(runs[i]).Compare(Began(runs[k])), cmp.Compare(runs[i].Dir, runs[k].Dir))
	})
	var sorted []*record.Run
	var named []string
	for _, i := range order {
		sorted = append(sorted, runs[i])
		if names != nil {
			named = append(named, names[i])
		}
	}
	return sorted, named
}

// oneExperiment refuses runs that are not of one experiment, by the first thing in which they differ.
func oneExperiment(runs []*record.Run) error {
	if len(runs) < 2 {
		return fmt.Errorf("combine runs: at least two are needed")
	}
	seen := map[string]string{}
	for _, r := range runs {
		if r.Experiment == nil {
			return fmt.Errorf("combine runs: %s is imported; its trials have no rounds", r.Dir)
		}
		if s := r.Experiment.Protocol.Rounds.Stopping(); s == experiment.Looks || s == experiment.Open {
			return fmt.Errorf("combine runs: %s ended when its results allowed it (protocol.rounds); a mean over such runs is too far from zero", r.Dir)
		}
		if outline(r).Sealed {
			return fmt.Errorf("combine runs: %s is not finished", r.Dir)
		}
		if other, again := seen[r.Plan.Hash+Began(r).String()]; again {
			return fmt.Errorf("combine runs: %s and %s are the same run", other, r.Dir)
		}
		seen[r.Plan.Hash+Began(r).String()] = r.Dir
	}
	for _, r := range runs[1:] {
		key, was, is, err := experiment.Difference(runs[0].Experiment, r.Experiment)
		if err != nil {
			return fmt.Errorf("combine runs: %w", err)
		}
		if other := otherLoad(runs[0], r); key == "" && other != nil {
			key, was, is = cmp.Or(strings.Join(other.Names["key"], ""), "load.workload (the file)"), other.Names["before"][0], other.Names["after"][0]
		}
		first, second := still(runs[0]), still(r)
		for _, fact := range []string{keys.ServerFlavour, keys.ServerVersion} {
			if key == "" && first[fact] != second[fact] {
				key, was, is = fact, first[fact], second[fact]
			}
		}
		if key != "" {
			return fmt.Errorf("combine runs: %s differs between %s and %s: %s and %s", key, runs[0].Dir, r.Dir, orNothing(was), orNothing(is))
		}
	}
	return nil
}

func orNothing(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

// machineKeys are the facts that tell one machine from another and do not change when its system is updated.
func machineKeys() []string {
	return []string{keys.HostMachine, keys.HostArch, keys.HostCPUModel, keys.HostCPUCount, keys.HostMemory}
}

// machinesOf groups runs by their machines, in the order of their first runs: by the user's names, or by what the
// records say. Two runs on equal hardware of which the records do not identify the machine are not grouped by guessing.
func machinesOf(runs []*record.Run, names []string) ([]Machine, error) {
	var all []Machine
	var of []string // the identity of each machine
	for i, r := range runs {
		var id string
		switch {
		case names != nil:
			id = names[i]
		default:
			identity, err := identify(r)
			if err != nil {
				return nil, err
			}
			id = identity
		}
		k := slices.Index(of, id)
		if k < 0 {
			of, all, k = append(of, id), append(all, Machine{Name: id}), len(all)
			if names == nil {
				all[k].Name = fmt.Sprint(len(all))
			}
		}
		all[k].Runs = append(all[k].Runs, r)
	}
	return all, nil
}

// identify is what the record says of the machine of a run whose servers tare started on it.
func identify(r *record.Run) (string, error) {
	for _, a := range r.Experiment.Arms {
		if a.Target != "process" && a.Target != "container" {
			return "", UnknownMachine{r.Dir, fmt.Sprintf("arm %s has target %s, whose machine is not in the record", a.Name, a.Target)}
		}
	}
	held := still(r)
	if held[keys.HostMachine] == "" {
		return "", UnknownMachine{r.Dir, "the fact " + keys.HostMachine + " is not in the record, or not the same in all trials"}
	}
	var parts []string
	for _, key := range machineKeys() {
		parts = append(parts, held[key])
	}
	return strings.Join(parts, "\x00"), nil
}

// UnknownMachine says that the record of a run does not identify its machine.
type UnknownMachine struct{ Dir, Why string }

func (u UnknownMachine) Error() string {
	return fmt.Sprintf("combine runs: which machine %s was measured on is not known: %s", u.Dir, u.Why)
}

func baseNames(dirs []string) []string {
	var all []string
	for _, d := range dirs {
		all = append(all, filepath.Base(d))
	}
	return all
}

// CPU is the machine's processor and how many CPUs its runs could use; "" where the records do not say, or not the
// same.
func (m Machine) CPU() string {
	of := ""
	for i, r := range m.Runs {
		held := still(r)
		cpu := held[keys.HostCPUModel]
		if n := held[keys.HostCPUCount]; cpu != "" && n != "" {
			cpu += ", " + n + " CPUs"
		}
		if i > 0 && cpu != of {
			return ""
		}
		of = cpu
	}
	return of
}
