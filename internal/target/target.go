// Package target defines the contract of a place that can run MySQL.
//
// A target is made once per arm, from the arm's settings, and starts a fresh
// server for every trial. What a target starts it must also be able to find
// again after a crash: everything it makes on the machine belongs to the
// instance directory and the instance name it is given (see Request).
package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// Target is one arm's place.
type Target interface {
	// Data says where the data of this target's servers live.
	Data() Data
	// Capabilities are what this target has beyond the others.
	Capabilities() Capabilities
	// Check says everything that can be known before anything starts: missing
	// programs, access, capacity. It changes nothing.
	Check(ctx context.Context) []error
	// Start starts a fresh server on the data directory of the request and
	// returns when the process runs, which is before it answers queries.
	// When it returns an error, or ctx is done, nothing of it is left.
	Start(ctx context.Context, r Request) (Server, error)
}

// Data says where a target's servers keep their data, and so how every trial
// gets the same.
type Data int

const (
	// Files: the server runs on a data directory of tare's; every trial gets a
	// byte-identical copy.
	Files Data = iota
	// InServer: someone else's server; the data is made once through SQL, in a
	// schema of tare's own.
	InServer
	// PerTrial: the data go with their server. Every trial makes them through SQL and
	// has the server start again on them.
	PerTrial
)

// Request is what a target needs for one trial.
type Request struct {
	// Name is unique on this machine and short: it names cgroups and containers.
	Name string
	// Dir is the instance directory: everything that belongs to this trial's
	// server on disk is below it, and it is removed afterwards by the caller.
	Dir string
	// RunDir is a directory with a short path for sockets (sun_path holds 108
	// bytes, unix(7)). It is the caller's to make and remove.
	RunDir string
	// Run is the run directory that the trial belongs to, for notes about what is made
	// elsewhere than on this machine.
	Run string
	// DataDir holds the prepared data directory, owned by this trial.
	DataDir string
	// Copies hold the same data for the further members of a replicated database, as many
	// as [Capabilities] ask for, and are owned by this trial too.
	Copies []string
	// Distribution is the set of files the server runs from.
	Distribution mysqld.Distribution
	// Config are the server's options, the same for every arm unless declared.
	Config map[string]string
	// Initialize asks for an empty DataDir to be initialised (mysqld
	// --initialize-insecure, or MariaDB's bootstrap) before the server starts:
	// root@localhost without a password, over the socket only.
	Initialize bool
	// Beside is the node of a cluster that the run's other servers are on, which a server that may be on several nodes is
	// placed on where there is room; "" for none.
	Beside string
	// LoadBeside is the node that the run's load pods were on before, as Beside is of servers.
	LoadBeside string
	// Statements are executed when a server of target process starts, before it takes
	// connections, one on each line (init_file); "" for none.
	Statements string
	// Log receives what the server prints.
	Log io.Writer
	// ReadyWithin bounds the wait for the first answered query.
	ReadyWithin time.Duration
	// Lasts is the longest time that the server is used after its start; 0: not known.
	Lasts time.Duration
	// Turns are those of the server where it takes turns and is idle between them: a neighbour works in them alone
	// ([ServerCapabilities.Follow]). Nil: it works all the time, or is frozen with the server.
	Turns *node.Turns
	// Waiting is told what a start waits for, in a sentence's words, if that takes long and whoever
	// runs the server says it. Nil: it is not asked for.
	Waiting func(what string) `json:"-"`
}

// Side says on which side of the connection a command runs.
type Side int

const (
	// ServerSide is beside mysqld: in its container, in its cgroup.
	ServerSide Side = iota
	// ClientSide is where the load engine runs.
	ClientSide
)

// Command is a program to run on one side.
type Command struct {
	Path   string
	Args   []string
	Env    []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Server is a running server of one trial.
type Server interface {
	// Address is where tare reaches the server from this host, and the load client
	// too unless Capabilities say otherwise.
	Address() mysqld.Address
	// Exec runs a command on a side and waits for it. When ctx ends, the command
	// and its children are ended.
	Exec(ctx context.Context, side Side, c Command) error
	// Capabilities are what this server has beyond the others.
	Capabilities() ServerCapabilities
	// Alive returns nil while the server process runs, else how it ended.
	Alive() error
	// Facts reads back what was set and what is counted: cgroup values, limits,
	// throttling. A fact that cannot be read says why.
	Facts(ctx context.Context, phase string) []record.Fact
	// Stop ends the server and removes everything Start made. Idempotent. A server whose data
	// are a copy is killed: to shut down in order it writes pages that are not read.
	Stop(ctx context.Context) error
}

// ErrKilled is why a server is not alive that the kernel killed because its memory
// limit was reached: what the arm is, and no failure of tare's.
var ErrKilled = errors.New("the memory limit was reached")

// ErrUnseen is why it is not known how a load went: what it runs on has not answered.
// That is a failure of the place, and no result of the arm.
var ErrUnseen = errors.New("the load could not be observed")

// ProbesOf begins the line that `tare probe beside` prints when it can be asked.
const ProbesOf = "probes of process "

// Unavailable is a failure of what an experiment needs and tare does not run: a server or a cluster
// that does not answer, or that something else uses. The experiment may be right, and the same
// command may succeed later.
type Unavailable struct{ Err error }

// Error is why it is not available.
func (u Unavailable) Error() string { return u.Err.Error() }

// Unwrap is why it is not available.
func (u Unavailable) Unwrap() error { return u.Err }

// Hopeless is why a server does not start that each other attempt of the run has too: its settings name something that the
// cluster does not have.
type Hopeless struct{ Err error }

// Error is why it does not start.
func (h Hopeless) Error() string { return h.Err.Error() }

// Unwrap is why it does not start.
func (h Hopeless) Unwrap() error { return h.Err }

// ErrProbe is why a server is not alive that the kubelet ended because a probe of its pod failed: the probe is the arm's own.
var ErrProbe = errors.New("a probe of the pod failed")

// ArmsOwn tells whether an arm's own settings ended its server, its memory limit or a probe: that is a result.
func ArmsOwn(err error) bool { return errors.Is(err, ErrKilled) || errors.Is(err, ErrProbe) }

// FieldError is what is wrong with one field of an arm's settings, so that the
// user is shown its line in the file.
type FieldError struct {
	Field string // "cpu", "neighbour.cpu"
	Err   error
}

// Wrong is a FieldError from a format.
func Wrong(field, format string, args ...any) FieldError {
	return FieldError{Field: field, Err: fmt.Errorf(format, args...)}
}

// Error is the field and what is wrong with it.
func (e FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap is what is wrong.
func (e FieldError) Unwrap() error { return e.Err }
