// Package probe reads metrics of the machine and the server while the load runs: each
// probe is one file, reads only, and executes nothing.
//
// A probe reads files below a root, so that a tree copied from a machine tests
// it, or asks the server over one connection that is open all the while.
package probe

import (
	"context"
	"database/sql"
	"io/fs"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// Probe is something watched while the load runs.
type Probe struct {
	Name, Help string
	Metrics    []record.Metric
	// Every is the least time between two readings besides those at the ends of
	// the window; 0 reads with every sample.
	Every time.Duration
	// GoesOn says that it counts while the server is frozen too: what all processes of the machine do,
	// or I/O that the server has submitted. It is read at both ends of every turn.
	GoesOn bool
	// Controller is that of the server's cgroup that it reads. A cgroup that holds others
	// than the server goes on while the server is frozen.
	Controller string
	// Asks says that it asks the server, which answers only while it is not frozen.
	Asks bool
	// Start looks where the probe is to read; an error says why it cannot.
	Start func(p Place) (Read, error)
}

// Read reads once and puts each value under its metric's name. What a file or
// a server does not have is not put.
type Read func(ctx context.Context, put func(metric string, value float64)) error

// Place is where probes look.
type Place struct {
	// Root is "/" of the machine, or a tree copied from one.
	Root fs.FS
	// PID is the server's process; 0 where it runs elsewhere.
	PID int
	// TakesPID says that the reader's command has --pid; a run has none.
	TakesPID bool
	// DataDir is the data directory as the server sees it; "" for none here.
	DataDir string
	// DB is a connection to the server; nil for none.
	DB *sql.DB
	// Others reads what other processes use; nil for all but the reader's, the server's and what these started.
	Others *Others
	self   bool // the reader's own cgroups are meant
	// Remote says that the reader is in a network namespace of its own, where it has
	// not the machine's table of connections.
	Remote bool
}

// All is the table of the probes, in the order in which they are read.
func All() []Probe { return append(OfMachine(), OfServer()...) }

// OfMachine read the kernel's files, on the machine where the server's process is.
func OfMachine() []Probe {
	all := []Probe{
		hostCPU(), hostOthers(), hostMemory(), hostPressure(), disk(),
		networkInterfaces(), tcp(), softirq(), conntrack(),
	}
	for i := range all {
		all[i].GoesOn = true
	}
	return append([]Probe{
		cgroupCPU(), cgroupMemory(), cgroupIO(), cgroupPressure(),
		serverProcess(), serverThreads(),
	}, all...)
}

// OfServer ask the server over a connection, from anywhere.
func OfServer() []Probe {
	all := []Probe{status(), innodb(), waits(), replication()}
	for i := range all {
		all[i].Asks = true
	}
	return all
}

// Unreadable are probes that cannot read, for a reason that all of them have.
func Unreadable(probes []Probe, why error) []Probe {
	for i := range probes {
		probes[i].Start = func(Place) (Read, error) { return nil, why }
	}
	return probes
}

func counter(name, unit, help string) record.Metric {
	return record.Metric{Name: name, Unit: unit, Direction: record.Neutral, Help: help, Counter: true}
}

// cost is a counter of which less is better.
func cost(name, unit, help string) record.Metric {
	m := counter(name, unit, help)
	m.Direction = record.LowerIsBetter
	return m
}

func gauge(name, unit, help string) record.Metric {
	return record.Metric{Name: name, Unit: unit, Direction: record.Neutral, Help: help}
}
