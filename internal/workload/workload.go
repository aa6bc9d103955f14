// Package workload defines what the database executes: tables, rows and statements,
// generated from a seed.
//
// Most have the names of sysbench's own workloads; they mean here what they mean
// there, so that a figure of tare's can be set beside anyone's.
package workload

import (
	"github.com/tarebench/tare/internal/experiment"
)

// Workload is one thing a database can be asked to do.
type Workload struct {
	// Name is sysbench's name of it, which is also the name of its Lua script
	// (/usr/share/sysbench/<Name>.lua), where it is not BuiltIn.
	Name string
	// Writes says whether it changes the data: the next trial then needs them
	// restored.
	Writes bool
	// TablePerThread marks a workload that makes one table per thread that runs
	// it and does not know the number of tables and rows.
	TablePerThread bool
	// BuiltIn marks a workload that the built-in engine alone has.
	BuiltIn bool
	// Scaled marks one whose data are a scale, not tables and rows.
	Scaled bool
	// Help is one line for people.
	Help string
}

// All returns the workloads that have a name. Any other is the path of a script.
func All() []Workload {
	return []Workload{
		{Name: "oltp_read_only", Help: "transactions of 10 point selects and 4 range selects of 100 rows"},
		{Name: "oltp_read_write", Writes: true, Help: "oltp_read_only plus 2 updates, a delete and an insert per transaction"},
		{Name: "oltp_read_write_pct", Writes: true, Help: "single selects and updates by primary key, --read-percent of them selects (80), each in a transaction unless --skip-trx"},
		{Name: "oltp_point_select", Help: "single selects by primary key, no transaction around them"},
		{Name: "oltp_write_only", Writes: true, Help: "transactions of 2 updates, a delete and an insert"},
		{Name: "oltp_insert", Writes: true, Help: "single inserts"},
		{Name: "oltp_delete", Writes: true, Help: "single deletes by primary key; the tables become empty"},
		{Name: "oltp_update_index", Writes: true, Help: "single updates of an indexed column"},
		{Name: "oltp_update_non_index", Writes: true, Help: "single updates of a column without an index"},
		{Name: "select_random_points", Help: "selects of 10 rows by a list of secondary keys"},
		{Name: "select_random_ranges", Help: "selects of 10 ranges of secondary keys"},
		{Name: "bulk_insert", Writes: true, TablePerThread: true, Help: "multi-row inserts, one table per thread"},
		{Name: "mix_80_20", Writes: true, BuiltIn: true, Help: "single selects and updates by primary key, 80 to 20; any mix_R_W"},
		{Name: "mix_50_50", Writes: true, BuiltIn: true, Help: "single selects and updates by primary key, 50 to 50"},
		{Name: "mix_20_80", Writes: true, BuiltIn: true, Help: "single selects and updates by primary key, 20 to 80"},
		{Name: tpccName, Writes: true, BuiltIn: true, Scaled: true, Help: "the transactions of TPC-C in its mix, with its consistency conditions checked"},
		{Name: ledgerName, Writes: true, BuiltIn: true, Help: "transactions of a numbered entry and its account; afterwards every acknowledged one must be on every server once"},
	}
}

// Find returns the workload of that name.
func Find(name string) (Workload, bool) {
	for _, w := range All() {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}

// Names lists the names of all workloads, in the order of All.
func Names() []string {
	var names []string
	for _, w := range All() {
		names = append(names, w.Name)
	}
	return names
}

// IsScript reports whether a workload is given as the path of a Lua script
// rather than by name. A name never holds a slash or ends in .lua.
func IsScript(workload string) bool { return experiment.IsScript(workload) }

// IsFile reports whether a workload is given as the path of a workload file.
func IsFile(workload string) bool { return experiment.IsWorkloadFile(workload) }
