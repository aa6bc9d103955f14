package external

// The ledger: a note on this machine for every schema that tare makes on a server that
// someone else runs, so that `tare clean` finds the schema after a kill.

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// entry is a note: how to get to the schema again. It has no password, only where the
// password comes from.
type entry struct {
	Host         string      `json:"host,omitempty"`
	Port         int         `json:"port,omitempty"`
	Socket       string      `json:"socket,omitempty"`
	User         string      `json:"user"`
	PasswordEnv  string      `json:"passwordEnv,omitempty"`
	PasswordFile string      `json:"passwordFile,omitempty"`
	TLS          string      `json:"tls,omitempty"`
	CA           string      `json:"ca,omitempty"`
	Schema       string      `json:"schema"`
	KeepSchema   bool        `json:"keepSchema,omitempty"`
	Owner        target.Note `json:"owner"`
	// Creating says that the owner is about to create the schema, which was not there, and has
	// not marked it yet.
	Creating bool `json:"creating,omitempty"`
}

func (s Settings) entry(owner target.Note, creating bool) entry {
	return entry{s.Host, s.Port, s.Socket, s.User, s.PasswordEnv, s.PasswordFile, s.TLS, s.CA, s.Schema, s.KeepSchema, owner, creating}
}

func (n entry) settings() Settings {
	return Settings{Host: n.Host, Port: n.Port, Socket: n.Socket, User: n.User, PasswordEnv: n.PasswordEnv, PasswordFile: n.PasswordFile, TLS: n.TLS, CA: n.CA, Schema: n.Schema, KeepSchema: n.KeepSchema}
}

// file is the note of a schema on a server.
func (e *external) file() string {
	sum := sha256.Sum256([]byte(e.settings.where() + "\x00" + e.settings.Schema))
	return filepath.Join(e.env.Ledger, hex.EncodeToString(sum[:8])+".json")
}

// note writes the note before the schema is made. creating is whether it is still to be made.
// What it returns takes back a note that was not there before.
func (e *external) note(holder mysqld.Holder, creating bool) (undo func() error, err error) {
	nothing := func() error { return nil }
	if e.env.Ledger == "" {
		return nothing, nil
	}
	self, err := e.env.Self()
	if err != nil {
		return nil, fmt.Errorf("note schema %s: %w", e.settings.Schema, err)
	}
	self.Run = holder.Run
	b, err := json.Marshal(e.settings.entry(self, creating))
	if err != nil {
		return nil, fmt.Errorf("note schema %s: %w", e.settings.Schema, err)
	}
	_, statErr := os.Stat(e.file())
	if err = os.MkdirAll(e.env.Ledger, 0o755); err == nil {
		err = record.WriteFile(e.file(), append(b, '\n'))
	}
	if err != nil {
		return nil, fmt.Errorf("note schema %s: %w", e.settings.Schema, err)
	}
	if errors.Is(statErr, fs.ErrNotExist) {
		return e.forget, nil
	}
	return nothing, nil
}

// creating tells whether the note says that a tare which has ended, or this one, was about to
// create the schema: one that has neither marker nor tables is then its. With force the tare
// need not have ended.
func (e *external) creating(force bool) bool {
	if e.env.Ledger == "" {
		return false
	}
	var note entry
	b, err := os.ReadFile(e.file())
	if err != nil || json.Unmarshal(b, &note) != nil || !note.Creating {
		return false
	}
	self, err := e.env.Self()
	self.Run = note.Owner.Run
	return force || note.Owner.Ended() || err == nil && note.Owner == self
}

// finish marks the schema that a tare has created and could not mark.
func (e *external) finish(ctx context.Context, db *sql.DB, force bool) error {
	if !e.creating(force) {
		return nil
	}
	return mysqld.FinishSchema(ctx, db, e.settings.Schema)
}

// forget removes the note of a schema that is gone.
func (e *external) forget() error {
	if e.env.Ledger == "" {
		return nil
	}
	if err := os.Remove(e.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove note of schema %s: %w", e.settings.Schema, err)
	}
	return nil
}

// Left is a schema that may be left on a server of others.
type Left struct{ Schema, Where string }

// LeftBy are the schemas that a process has noted and not dropped.
func LeftBy(ledger string, pid int) (all []Left, err error) {
	entries, err := os.ReadDir(ledger)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list schemas: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !isNote(e) {
			continue
		}
		var note entry
		b, err := os.ReadFile(filepath.Join(ledger, e.Name()))
		if err == nil {
			err = json.Unmarshal(b, &note)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("read note %s: %w", e.Name(), err))
		} else if note.Owner.PID == pid {
			all = append(all, Left{note.Schema, note.settings().where()})
		}
	}
	return all, errors.Join(errs...)
}

// isNote tells notes from what else is in the ledger.
func isNote(e fs.DirEntry) bool {
	return !strings.HasPrefix(e.Name(), ".") && filepath.Ext(e.Name()) == ".json"
}

// cleanWithin bounds what is asked of one server.
const cleanWithin = 30 * time.Second

// Clean drops the schemas that tares which have ended left on servers of others, by the
// notes in the ledger, and returns how many. What it leaves, it names on log: schemas of
// a tare that runs, or may run in another PID namespace; force drops these, too. A
// schema that cannot be dropped is an error with all that is needed to do it by hand.
func Clean(ctx context.Context, ledger string, force bool, log io.Writer) (int, error) {
	entries, err := os.ReadDir(ledger)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("list schemas: %w", err)
	}
	n := 0
	var errs []error
	for _, e := range entries {
		if !isNote(e) {
			continue
		}
		file := filepath.Join(ledger, e.Name())
		dropped, err := cleanOne(ctx, ledger, file, force, log)
		if err != nil {
			errs = append(errs, fmt.Errorf("%w; when the schema is gone, remove %s", err, file))
		}
		if dropped {
			n++
		}
	}
	return n, errors.Join(errs...)
}

func cleanOne(ctx context.Context, ledger, file string, force bool, log io.Writer) (bool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("read note: %w", err)
	}
	var note entry
	if err := json.Unmarshal(b, &note); err != nil {
		return false, fmt.Errorf("read note %s: %w", file, err)
	}
	e := &external{settings: note.settings(), env: Env{Ledger: ledger, Self: target.Self}}
	if errs := e.settings.contradictions(); len(errs) > 0 || e.file() != file {
		return false, fmt.Errorf("read note %s: %w", file, errors.Join(append(errs, errors.New("tare did not write it"))...))
	}
	what := fmt.Sprintf("schema %s on %s (run %s)", note.Schema, e.settings.where(), note.Owner.Run)
	if !force && !note.Owner.Ended() {
		fmt.Fprintf(log, "%s is not removed: its tare (process %d) is running, or is on another machine; --force drops it\n", what, note.Owner.PID)
		return false, nil
	}
	fmt.Fprintf(log, "drop %s\n", what)
	ctx, cancel := context.WithTimeout(ctx, cleanWithin)
	defer cancel()
	if err := e.dropLeft(ctx, force); err != nil {
		return false, fmt.Errorf("%s was left: %w; drop it there: DROP DATABASE `%s`", what, err, note.Schema)
	}
	return true, e.forget()
}
