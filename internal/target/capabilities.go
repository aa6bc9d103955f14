package target

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// This file is all that a target or its server may have beyond what every one has.
// Each returns it as one struct, so that the compiler refuses a capability that was
// renamed or has another type; as optional interfaces, found by a type assertion, a
// renamed method switched its check off without a word. The zero value of a field says
// that the target does not have it.

// Capabilities are what can be known of an arm's place before anything is started.
type Capabilities struct {
	// MemoryLimit and HugePages of the server are in bytes; 0 means none.
	MemoryLimit, HugePages int64
	// Node is the node of a cluster that the arm names for its server; "" for none.
	Node string
	// Generators of the load run beside the server; 0: the load comes from this host.
	Generators int
	// LoadField is the field of the arm that has its load come from elsewhere than from
	// this host, and LoadPlace is where from, in words; "" for this host.
	LoadField, LoadPlace string
	// ReachedFrom says why the pods of a cluster, named by its API server, cannot connect to
	// the server; nil: no pod can.
	ReachedFrom func(cluster string) error
	// Reconnect is after how many transactions a connection is ended; 0 keeps them.
	Reconnect int
	// Copies is how many copies of the prepared data a trial needs beside its own: one for
	// every further member of a replicated database.
	Copies int
	// Volume is what the volume of each server takes of the disk below the data directories and of
	// memory, in bytes, for data of so many bytes; the data directory is then emptied. nil: the
	// server runs on its data directory.
	Volume func(data int64) (disk, memory int64)
	// Events are what happens to the database while it is loaded.
	Events []EventSpan
	// Spread: the connections of the load go to several members. ReadsOnly: to replicas too,
	// so that it must not write.
	Spread, ReadsOnly bool
	// Endpoint is the address of a server that runs already, without the password;
	// nil for one that the target starts.
	Endpoint *mysqld.Address
	// Running is what that server said of itself when Check asked; nil before, and for one that the target starts.
	Running *Running
	// Memories are how long the arm's layers remember what was asked of them before, of a
	// target whose servers can take turns. nil: they cannot.
	Memories []layer.Memory
	// NeverFrozen: the servers take turns and cannot be frozen. Between its turns a server has no load. They use nothing of
	// this machine.
	NeverFrozen bool
	// Single: the target has one server at a time, so that a second database of its arm in a round by slices
	// needs a target of its own.
	Single bool
	// Sole is why two databases of arms that have the same Sole cannot be up at once: a code that report/language has as
	// "protocol.why.<code>". "": they can.
	Sole string
	// Program names what a server runs from that tare starts and whose files are not its own; "" for another one.
	Program string
	// Room is what each server of the arm needs of a cluster, and what is free there; nil where it is not known.
	Room *Room
	// Allowances are what the quotas of the arm's namespace leave, and what one database of the arm takes of them; none
	// where they are not known.
	Allowances []Allowance
	// BySignals: the servers are frozen by SIGSTOP, because they cannot have a freezer of their own.
	BySignals bool
	// MostFrozen is the longest time that the servers of the arm may be frozen: after it the
	// members of a replicated database take each other for failed. 0: any time.
	MostFrozen time.Duration
	// Neighbour: something beside the server uses the server's machine, in the turns of an idle server alone.
	Neighbour bool
	// Permission is what the user has to allow first; nil for nothing.
	Permission *Permission
	// Notes are what the user should know before the run and is not a mistake.
	Notes []string
	// Unchecked is what could not be checked, for the first line of `tare check`; "" for nothing.
	Unchecked string
	// TurnNotes are those where the servers of a round are up at once, to take turns.
	TurnNotes []string
	// Restores: every start begins with the prepared data again, of a server whose data
	// are [InServer].
	Restores bool
	// CheckDisk says what is wrong with data below dir; nil: it does not matter where
	// they lie.
	CheckDisk func(dir string) []error
	// CheckConfig says why options of the server cannot be set; nil: all can.
	CheckConfig func(config map[string]string) error
	// Cluster names the cluster that Check asks; "" for none.
	Cluster string
	// CheckFiles says what the files that the arm names have wrong, and asks no server; nil: it names none.
	CheckFiles func() []error
	// Manifests are the user's own that the server is made of, files and directories; none: it is made of none.
	Manifests []string
	// Class is the QoS class of the server's pod, and what makes it that; "" where it is not known
	// before the start. nil: the server is in no pod.
	Class func() (class node.QoS, why string)
	// Render is every object that an arm of that name would make in a cluster, as YAML
	// documents; nil: the server is not made of a cluster's objects.
	Render func(arm string, config map[string]string) (string, error)
	// Resume removes what earlier processes of a run left elsewhere than on this machine, or waits
	// until it has ended, and says on log what it does. It is called before Check, with the run
	// directory of a run that is resumed. nil: there is nothing of that kind.
	Resume func(ctx context.Context, run string, log io.Writer) error
	// Note writes into the run directory what Resume needs to know of this process. It is called
	// once, before the first trial. nil: nothing.
	Note func(run string) error
	// Unremoved is what Release has not removed yet from a cluster. It asks nobody. nil: nothing is ever there.
	Unremoved func() Unremoved
	// Release gives back what is held for the whole run. It is called once, after the
	// last trial; nothing to give back is not an error. nil: nothing is ever held.
	Release func(ctx context.Context) error
}

// Running is a server that the target did not start.
type Running struct {
	Version, Flavour string
	// Variables are its global variables, without those that can hold a secret.
	Variables map[string]string
}

// Is tells whether two servers describe themselves alike, and so are one server that is reached by two addresses.
func (r *Running) Is(other *Running) bool {
	for _, name := range []string{"hostname", "port", "datadir", "server_id", "server_uuid", "server_uid"} {
		if r.Variables[name] != other.Variables[name] {
			return false
		}
	}
	return true
}

// Room is a cluster's, for a round whose servers are up at once.
type Room struct {
	Cluster string // names it
	// CPU and Memory are what a server of the arm requests, and its neighbour on the same node, in thousandths of a CPU
	// and in bytes.
	CPU, Memory int64
	// Loads are so many load pods of each server, which request LoadCPU each, on LoadNodes.
	Loads     int
	LoadCPU   int64
	LoadNodes map[string]Free
	// Nodes are those that the server may be on, by name.
	Nodes map[string]Free
}

// Free is what a node can still give, in thousandths of a CPU and in bytes.
type Free struct{ CPU, Memory int64 }

// AllowCommands is the word for --allow that lets events run programs.
const AllowCommands = "commands"

// Permission is what an arm does to a machine beyond what tare does by default.
type Permission struct {
	Allow string // the word for --allow
	Field string // the field of the arm that asks for it
	Why   string
}

// ServerCapabilities are what a server in a trial has beyond the methods of Server.
type ServerCapabilities struct {
	// Client is how the load client reaches the server; nil: by Address, from this host.
	Client func() Client
	// Node is the node of a cluster that the server is on; "" for none.
	Node string
	// PID is the server's process as this machine numbers it, 0 once it has ended; nil
	// for a server on another machine.
	PID func() int
	// Probe has the kernel's files read beside a server on another machine, from now
	// until it is stopped, and returns how to connect to what reads them. dataDir is
	// where the server sees its data. The error says why nothing is read there. nil:
	// nothing can be read there, or the server is on this machine.
	Probe func(ctx context.Context, dataDir string) (dial func(ctx context.Context) (net.Conn, error), err error)
	// Generators is how many generators of the load run beside the server; 0: the load
	// comes from this host. Generate gives every one the job and calls line, from
	// several goroutines, with each line that one prints, until all have ended.
	Generators int
	Generate   func(ctx context.Context, job []byte, line func(number int, text []byte) error) error
	// ClearGenerators removes what Generate made, so that it can be called again; nil: it is
	// called once.
	ClearGenerators func(ctx context.Context) error
	// Freeze stops the server's processes between its turns, and all that runs beside it
	// for its sake: neighbours and generators; an error says that some of it runs on.
	// Thaw lets them go on; thawing what is not frozen is not an error. nil: they cannot
	// be stopped.
	Freeze, Thaw func() error
	// Follow has what is beside an idle server follow its turns; nil: nothing does.
	Follow *Follow
	// MostFrozen is that of [Capabilities].
	MostFrozen time.Duration
	// Join makes the servers of a replicated database its members, once the one at Address
	// answers, and returns when all are. The error is [mysqld.ErrNotReady] where that took
	// longer than within. nil: there is one server.
	Join func(ctx context.Context, within time.Duration) error
	// Disturb carries out the arm's events, follows the primary, and returns when ctx has ended
	// and every event was ended. The measured window begins at the time that comes from
	// window; note is called with what happens. nil: nothing happens to the server, and one
	// that is lost ends the load.
	Disturb func(ctx context.Context, window <-chan time.Time, note func(name, detail string)) error
	// Members are the servers of a database after the load, once those that are members have
	// applied what the primary has, or within has passed. nil: there is one server.
	Members func(ctx context.Context, within time.Duration) ([]Member, error)
	// Throttle changes the limit of the disk; nil: it cannot be changed while the server runs.
	Throttle Throttler
	// Restart ends the server in order, has it start again on the data that it has by
	// then, and returns when its process runs, which is before it answers queries. nil:
	// it cannot be started again.
	Restart func(ctx context.Context) error
}

// Follow is how a neighbour follows the turns of its server, which it was told at its start ([Request.Turns]).
type Follow struct {
	// Begin says when the first turn begins. announced: generators of the load were told through the server's
	// database, where the neighbour looks too.
	Begin func(ctx context.Context, at time.Time, announced bool) error
	// End says what became of the turns, once they are over; the error says that it did not follow them.
	End func(ctx context.Context) ([]record.Fact, error)
	// Head is how long before the first turn it has to be told.
	Head time.Duration
}

// Client is how a load client gets to a server.
type Client struct {
	Address mysqld.Address
	// Reconnect is after how many transactions a connection is ended and another
	// made; 0 keeps them.
	Reconnect int
	// Routes, if not nil, says which server of several a connection goes to; Address is one
	// of them.
	Routes *mysqld.Routes
	// Inside calls f on a thread that is where the client is: connections that f
	// makes and processes that it starts belong to it. nil is this host.
	Inside func(f func() error) error
}

// ClientOf is how the load client gets to a server.
func ClientOf(s Server) Client {
	if client := s.Capabilities().Client; client != nil {
		return client()
	}
	return Client{Address: s.Address()}
}

// PIDOf is the server's process as this machine numbers it; 0 where it has ended, or
// runs elsewhere.
func PIDOf(s Server) int {
	if pid := s.Capabilities().PID; pid != nil {
		return pid()
	}
	return 0
}
