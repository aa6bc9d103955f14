// Package members runs the servers of a replicated database as one server of a target: the load goes to the first, or follows the primary, and all are watched.
package members

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// servers are the members, the first of which takes the load.
type servers struct {
	request  target.Request
	all      []target.Server
	dirs     []string // of the further members, made here
	database *replication.Database
	network  *network.Network
	events   event.Planned
	watch    *watch
	history  event.History
	proxy    *proxy // nil: the load goes to the members themselves
	// waited are what the members told after the load and before they were waited for, nil where they
	// were not: a member that has caught up is no longer behind.
	waited []record.Fact

	stop    sync.Once
	stopped error
}

// Start starts the further members of a database beside the first, which runs, on the
// copies of the request, by calling start for each. The first, whose the network is, is
// stopped with them. When a
// member cannot be started, nothing of any is left.
func Start(ctx context.Context, r target.Request, first target.Server, n *network.Network, db *replication.Database, events event.Planned, start func(ctx context.Context, number int, r target.Request) (target.Server, error)) (target.Server, error) {
	s := &servers{request: r, all: []target.Server{first}, database: db, network: n, events: events}
	db.At(1, first.Address())
	for i := range r.Copies {
		number := i + 2
		fault.At(fmt.Sprintf("members: before member %d", number))
		server, err := s.add(ctx, number, start)
		if err != nil {
			return nil, errors.Join(record.StartMember.Wrap(err, strconv.Itoa(number)), s.Stop(context.WithoutCancel(ctx)))
		}
		s.all = append(s.all, server)
		db.At(number, server.Address())
	}
	s.watch = newWatch(db, s.routesTo())
	if err := s.startProxy(ctx); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// add makes a member's directories and starts its server in them.
func (s *servers) add(ctx context.Context, number int, start func(ctx context.Context, number int, r target.Request) (target.Server, error)) (target.Server, error) {
	r := s.request
	r.Dir = filepath.Join(s.request.Dir, fmt.Sprintf("member-%d", number))
	r.RunDir = filepath.Join(s.request.RunDir, strconv.Itoa(number)) // short: it holds a socket
	r.DataDir, r.Copies = s.request.Copies[number-2], nil
	if s.request.Log != nil {
		r.Log = &named{to: s.request.Log, name: fmt.Sprintf("member %d: ", number)}
	}
	for _, dir := range []string{r.Dir, r.RunDir} {
		if err := os.Mkdir(dir, 0o711); err != nil {
			return nil, record.MakeDirectory.Wrap(err)
		}
		s.dirs = append(s.dirs, dir)
	}
	// The copy has the name of the server that made the data; without the file, the server
	// gives itself one of its own (MySQL Reference Manual, server_uuid).
	if err := os.Remove(filepath.Join(r.DataDir, "auto.cnf")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("make a server of its own: %w", err)
	}
	return start(ctx, number, r)
}

// Alive tells how a member ended: a database that has lost one is not the one that the
// experiment declares, unless an event has killed it.
func (s *servers) Alive() error {
	for i, server := range s.all {
		if s.watch != nil && s.watch.of(i+1).dead {
			continue
		}
		if err := server.Alive(); err != nil {
			return record.MemberLost.Wrap(err, fmt.Sprint(i+1))
		}
	}
	return s.proxy.alive()
}

// Capabilities are the first member's, who serves the load. All members are frozen and thawed
// together.
func (s *servers) Capabilities() target.ServerCapabilities {
	c := s.all[0].Capabilities()
	c.Freeze, c.Thaw, c.MostFrozen = s.freeze, s.thaw, s.database.Settings().MostFrozen()
	c.Join = func(ctx context.Context, within time.Duration) error {
		return s.database.Join(ctx, within, s.Alive)
	}
	c.Members = s.after
	if s.proxy != nil {
		c.Client = func() target.Client { return s.proxy.client(target.ClientOf(s.all[0])) }
	}
	if s.watched() {
		c.Client, c.Disturb = s.client, s.disturb
		c.Freeze, c.Thaw = nil, nil
	}
	return c
}

// freeze stops all members: first the one that the load goes to, so that none waits for a
// member that is stopped.
func (s *servers) freeze() (err error) {
	err = s.proxy.signal(unix.SIGSTOP)
	for _, server := range s.all {
		err = errors.Join(err, server.Capabilities().Freeze())
	}
	return err
}

// thaw has them go on in reverse, for the same reason.
func (s *servers) thaw() (err error) {
	for _, server := range slices.Backward(s.all) {
		err = errors.Join(err, server.Capabilities().Thaw())
	}
	return errors.Join(err, s.proxy.signal(unix.SIGCONT))
}

// spread says that the load goes to all members.
func (s *servers) spread() bool {
	settings := s.database.Settings()
	return settings.Writers == replication.AllWriters || settings.Readers == replication.AllReaders
}

// watched says that the load does not go to the first member alone.
func (s *servers) watched() bool { return s.events.Any() || s.spread() }

// Facts are the first member's, those of replication, and what the other servers used.
func (s *servers) Facts(ctx context.Context, phase string) []record.Fact {
	facts := s.all[0].Facts(ctx, phase)
	if phase == "end" && s.waited != nil {
		facts = append(facts, s.waited...)
	} else {
		facts = append(facts, s.ofMembers(ctx, phase)...)
	}
	facts = append(facts, s.proxy.facts(phase)...)
	if phase == "end" {
		facts = append(facts, s.history.Facts()...)
		facts = append(facts, s.exchanges(ctx)...)
	}
	return facts
}

// ofMembers are the facts of replication, and what the processes of the further members used.
func (s *servers) ofMembers(ctx context.Context, phase string) []record.Fact {
	facts := s.database.Facts(ctx, phase)
	for i, server := range s.all[1:] {
		facts = append(facts, used(i+2, server, phase)...)
	}
	return facts
}

// acknowledgementBytes are about what a member answers to a transaction.
const acknowledgementBytes = 64

// exchanges are how fast the network carries the round trips of replication from the first
// member to each other one: after the load, when nothing else is sent.
func (s *servers) exchanges(ctx context.Context) []record.Fact {
	ctx, cancel := context.WithTimeout(ctx, exchangesWithin)
	defer cancel()
	bytes, err := s.database.TransactionBytes(ctx)
	size := record.Fact{Key: keys.ReplicationTransactionBytes, Phase: "end", Source: "SHOW BINARY LOGS of member 1: bytes for each GTID"}
	if err != nil {
		size.Unknown = err.Error()
		return []record.Fact{size}
	}
	size.Value = strconv.Itoa(bytes)
	facts := []record.Fact{size}
	for number := 2; number <= len(s.all); number++ {
		facts = append(facts, s.exchange(ctx, number, bytes))
		facts = append(facts, s.network.MemberStreams(ctx, number)...)
	}
	return facts
}

// exchange is that of one member, with requests of the size of a transaction.
func (s *servers) exchange(ctx context.Context, number, bytes int) record.Fact {
	f := record.Fact{Key: fmt.Sprintf(keys.ReplicationMemberPrefix+"%d.request_response_per_s", number), Phase: "end"}
	f.Source = fmt.Sprintf("TCP from member 1, one at a time: requests of %d bytes, responses of %d bytes", bytes, acknowledgementBytes)
	v, err := s.network.Exchange(ctx, 1, number, bytes, acknowledgementBytes)
	if err != nil {
		f.Unknown = err.Error()
		return f
	}
	f.Value = strconv.FormatFloat(v, 'f', 1, 64)
	return f
}

// exchangesWithin bounds them where the network loses packets.
const exchangesWithin = 30 * time.Second

// used is the CPU time and the memory of a further member's process.
func used(number int, server target.Server, phase string) []record.Fact {
	var facts []record.Fact
	for _, f := range target.ProcessFacts(target.PIDOf(server), phase) {
		switch f.Key {
		case keys.ServerRunNS, keys.ServerRunQueueWaitNS, keys.ServerRSS, keys.ServerIOWriteBytes:
			f.Key = fmt.Sprintf(keys.ReplicationMemberPrefix+"%d.%s", number, f.Key)
			facts = append(facts, f)
		}
	}
	return facts
}
