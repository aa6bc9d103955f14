package replication

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
)

// port is the servers', as everywhere; every member has a network namespace of its own.
const port = 3306

// account is the one that members have for each other.
const account = "tare_replication"

// Database is one replicated database: its servers, which run from the same files on
// copies of the same data.
type Database struct {
	settings Settings
	server   mysqld.Distribution
	mode     mode
	// hosts are the addresses that the members have for each other; the first takes the
	// load.
	hosts []string
	// sockets are where tare reaches them.
	sockets []mysqld.Address
	// password is the account's, of this start.
	password string
	// client is the account of the load, for members beside the first; nil for none.
	client *mysqld.Address
	// calm members are not expected to fail.
	calm bool
	// source is the member, from 1, that the replicas follow.
	source atomic.Int64
}

// mode is one line of the table of modes.
type mode struct {
	needs string // the flavour, "" for any
	// missing says what the server's files lack; nil: nothing is asked for.
	missing func(mysqld.Distribution) error
	// files are those that a member's data directory has to have, by name; nil: none.
	files func(d *Database, number int) map[string]string
	// options are those of a member beside the ones that every mode has.
	options func(d *Database, number int) map[string]string
	// join makes the servers members; all of them answer.
	join func(ctx context.Context, d *Database, all []*sql.DB) error
	// state says what keeps a member from being one, "" for nothing: it is asked until
	// then. An error will not go away by waiting.
	state func(ctx context.Context, d *Database, all []*sql.DB, number int) (string, error)
	// standing is how a member sees itself.
	standing func(ctx context.Context, d *Database, db *sql.DB, number int) (Standing, error)
	// facts are one member's.
	facts func(ctx context.Context, d *Database, all []*sql.DB, number int) ([]value, error)
}

// modes are all there are.
func modes() map[string]mode {
	return map[string]mode{
		Async:    {options: noOptions, join: joinReplicas, state: replicaState, facts: replicaFacts, standing: replicaStanding},
		SemiSync: {options: semiSyncOptions, join: joinSemiSync, state: semiSyncState, facts: semiSyncFacts, standing: replicaStanding},
		Group:    {needs: mysqld.MySQL, options: groupOptions, join: joinGroup, state: groupState, facts: groupFacts, standing: groupStanding},
		Galera:   {needs: mysqld.MariaDB, missing: noLibrary, options: galeraOptions, files: galeraFiles, join: joinGalera, state: galeraState, facts: galeraFacts, standing: galeraStanding},
	}
}

func modeNames() string { return strings.Join(slices.Sorted(maps.Keys(modes())), ", ") }

// New makes a database of servers that are about to be started, with the addresses that
// they will have for each other.
func New(s Settings, server mysqld.Distribution, hosts []string) (*Database, error) {
	s = s.Defaulted()
	m, known := modes()[s.Mode]
	if !known || len(hosts) != s.Members {
		return nil, fmt.Errorf("make database: %d members of mode %q have %d addresses", s.Members, s.Mode, len(hosts))
	}
	var secret [16]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, fmt.Errorf("make database: %w", err)
	}
	d := &Database{
		settings: s, server: server, mode: m, hosts: hosts, sockets: make([]mysqld.Address, len(hosts)),
		password: hex.EncodeToString(secret[:]),
	}
	d.source.Store(1)
	return d, nil
}

// Calm has the members wait for each other for longer than by default: nothing is done to one
// alone, and all of them are frozen together for a while.
func (d *Database) Calm() { d.calm = true }

// Configure makes the server of these options and this data directory a member, which has
// not started yet.
func (d *Database) Configure(o *mysqld.Options, dataDir string, number int) error {
	o.Port, o.Bind, o.Member = port, "0.0.0.0", d.Options(number)
	if d.mode.files == nil {
		return nil
	}
	for name, text := range d.mode.files(d, number) {
		if err := d.write(filepath.Join(dataDir, name), text); err != nil {
			return fmt.Errorf("write %s of member %d: %w", name, number, err)
		}
	}
	return nil
}

// write makes a file that belongs to the server's user.
func (d *Database) write(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil || os.Geteuid() != 0 {
		return err
	}
	return os.Lchown(path, d.server.UID, d.server.GID)
}

// Options are those of a member, from 1. The load goes to member 1.
func (d *Database) Options(number int) map[string]string {
	all := map[string]string{
		"server_id": fmt.Sprint(number), "report_host": d.hosts[number-1], "report_port": fmt.Sprint(port),
		// By default it is named after the host, and the members' would not differ.
		"relay_log": "relay",
	}
	if d.server.Flavour == mysqld.MariaDB {
		maps.Copy(all, map[string]string{"log_bin": "binlog", "binlog_format": "ROW", "log_slave_updates": "ON", "gtid_strict_mode": "ON"})
	} else {
		maps.Copy(all, map[string]string{"gtid_mode": "ON", "enforce_gtid_consistency": "ON"})
	}
	maps.Copy(all, d.mode.options(d, number))
	return all
}

func noOptions(*Database, int) map[string]string { return nil }

// Settings are those that the database was made with, with their defaults.
func (d *Database) Settings() Settings { return d.settings }

// Hosts are the addresses that the members have for each other.
func (d *Database) Hosts() []string { return d.hosts }

// Client has every member know the account of the load, which the first has from its start.
func (d *Database) Client(account mysqld.Address) { d.client = &account }

// At says where tare reaches a member.
func (d *Database) At(number int, a mysqld.Address) { d.sockets[number-1] = a }

// joinEvery is the time between two looks at a member's state.
const joinEvery = 50 * time.Millisecond

// Join makes the servers, which run, one database, and returns when all are members. alive
// says how a server ended, nil while it runs.
func (d *Database) Join(ctx context.Context, within time.Duration, alive func() error) error {
	limit, cancel := context.WithTimeoutCause(ctx, within, mysqld.ErrNotReady)
	defer cancel()
	for number, a := range d.sockets {
		if err := mysqld.Ready(limit, a, within, alive); err != nil {
			err = d.cause(ctx, limit, err)
			return record.WaitMember.Wrap(err, strconv.Itoa(number+1))
		}
	}
	all, err := d.open()
	defer closeAll(all)
	if err == nil {
		err = d.mode.join(limit, d, all)
	}
	if err == nil {
		err = d.wait(limit, all)
	}
	if err != nil {
		err = d.cause(ctx, limit, err)
		return record.JoinMembers.Wrap(err, d.settings.Mode)
	}
	return nil
}

// cause says that the time is over where that is why a step ended.
func (d *Database) cause(ctx, limit context.Context, err error) error {
	if ctx.Err() == nil && limit.Err() != nil && !errors.Is(err, mysqld.ErrNotReady) {
		return fmt.Errorf("%w: %w", mysqld.ErrNotReady, err)
	}
	return err
}

// open connects to every member.
func (d *Database) open() ([]*sql.DB, error) {
	var all []*sql.DB
	for _, a := range d.sockets {
		db, err := mysqld.Open(a)
		if err != nil {
			return all, err
		}
		all = append(all, db)
	}
	return all, nil
}

func closeAll(all []*sql.DB) {
	for _, db := range all {
		_ = db.Close() // what it did has been answered
	}
}

// wait asks every member until all are one.
func (d *Database) wait(ctx context.Context, all []*sql.DB) error {
	for number := 1; number <= len(all); number++ {
		for {
			why, err := d.mode.state(ctx, d, all, number)
			if err != nil {
				return fmt.Errorf("member %d: %w", number, err)
			}
			if why == "" {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("member %d: %s: %w", number, why, context.Cause(ctx))
			case <-time.After(joinEvery):
			}
		}
	}
	return nil
}

// run carries out statements on one connection, whose session variables they may set.
func run(ctx context.Context, db *sql.DB, statements ...string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			verb, _, _ := strings.Cut(s, "'") // never a password
			return fmt.Errorf("%s: %w", strings.TrimSpace(verb), err)
		}
	}
	return nil
}
