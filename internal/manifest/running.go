package manifest

// This file makes a database of a server that runs: what it says of itself and
// what bounds it stand where a file would have them.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tarebench/tare/internal/option"
)

// Running is a server that runs, as far as it can be asked.
type Running struct {
	Name    string
	Version string // "9.7.4-2", "10.11.19-MariaDB-0+deb12u1"
	MariaDB bool
	// Variables are its global variables.
	Variables map[string]string
	// Bounds names its cgroups; "" where they cannot be read. MilliCPU and Memory
	// (bytes) are the limits there, 0 for none.
	Bounds           string
	MilliCPU, Memory int64
	// RedoLog is the capacity in bytes that is in effect (Innodb_redo_log_capacity_resized), 0 where it
	// was not read.
	RedoLog int64
}

// ofRunning is where the options of a running server are from.
const ofRunning = "the running server"

// Origins are the values of Option.From that are not the name of a file or an object.
func Origins() []string { return []string{fromArguments, ofRunning} }

// Written is whether somebody has set the option: a running server shows every variable,
// also those that it has computed.
func (o Option) Written() bool { return o.From != ofRunning }

// answer puts what a running server has answered in the place of what the files say: nothing of it is hidden then.
func (d *Database) answer(variables map[string]string) {
	if len(variables) == 0 {
		return
	}
	d.Config.Missing = nil
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		d.Config.Options = append(d.Config.Options, Option{Group: "mysqld", Name: name, Value: variables[name], From: ofRunning, Spot: Spot{File: "@@" + name}})
	}
}

// Database is the server as rules see it. Places are the variables' names and the
// cgroups: there is no file, and nothing to edit.
func (r Running) Database() *Database {
	d := &Database{Object: &Object{Kind: "server", Name: r.Name}, Product: MySQL, Version: parseVersion(r.Version), Replicas: 1}
	if r.MariaDB {
		d.Product = MariaDB
	}
	for _, name := range slices.Sorted(maps.Keys(r.Variables)) {
		if !r.derived(name) {
			d.Config.Options = append(d.Config.Options, Option{Group: "mysqld", Name: name, Value: r.inEffect(name), From: ofRunning, Spot: Spot{File: "@@" + name}})
		}
	}
	if strings.EqualFold(r.Variables["wsrep_on"], "on") {
		d.Replication = "galera"
	}
	if r.Bounds != "" {
		d.Server = &Container{Name: "mysqld", Resources: r.resources()}
		d.Pod = &Pod{Containers: []*Container{d.Server}}
	}
	return d
}

// inEffect is a variable's value: the redo log can have another capacity than the variable shows.
func (r Running) inEffect(name string) string {
	if name == "innodb_redo_log_capacity" && r.RedoLog > 0 {
		return strconv.FormatInt(r.RedoLog, 10)
	}
	return r.Variables[name]
}

// derived are variables that a server shows although they have no effect: MySQL
// keeps those of the old redo log beside the new one. Where it is not known which have one, all are kept.
func (r Running) derived(name string) bool {
	_, capacity := r.Variables["innodb_redo_log_capacity"]
	if r.RedoLog == 0 && option.FilesMaySizeRedo(func(name string) string { return r.Variables[name] }) {
		return false
	}
	return capacity && (name == "innodb_log_file_size" || name == "innodb_log_files_in_group")
}

func (r Running) resources() Value {
	var limits []string
	if r.MilliCPU > 0 {
		limits = append(limits, fmt.Sprintf("cpu: %dm", r.MilliCPU))
	}
	if r.Memory > 0 {
		limits = append(limits, fmt.Sprintf("memory: %d", r.Memory))
	}
	text := []byte("limits: {" + strings.Join(limits, ", ") + "}\n")
	var root yaml.Node
	if err := decode(text, &root); err != nil {
		panic(err) // numbers alone stand in it
	}
	return Value{file: newFile(Source{Name: r.Bounds, Text: text}), node: root.Content[0], near: root.Content[0]}
}
