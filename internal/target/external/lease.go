package external

// One process uses a schema at a time, and a note on this machine says that the schema
// is there.

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

// renewEvery is a third of the time that a lease lasts: one answer may come late.
const renewEvery = mysqld.LeaseTime / 3

// lease is the use of the schema by this process, renewed until it is given back.
type lease struct {
	mu    sync.Mutex
	end   context.CancelFunc // nil: not taken
	ended chan struct{}
	lost  error
}

// acquire makes the schema, if it is not there, and takes or renews its lease.
func (e *external) acquire(ctx context.Context, run string) error {
	holder, err := e.holder(run)
	if err != nil {
		return err
	}
	there, err := e.own(ctx)
	if err != nil {
		return err
	}
	forget, err := e.note(holder, !there && !e.settings.KeepSchema)
	if err != nil {
		return err
	}
	fault.At("external: noted")
	err = e.administer(ctx, func(db *sql.DB) error {
		use := mysqld.CreateSchema
		if e.settings.KeepSchema {
			use = mysqld.AdoptSchema
		}
		if err := use(ctx, db, e.settings.Schema); err != nil {
			return err
		}
		fault.At("external: schema made")
		return mysqld.TakeLease(ctx, db, e.settings.Schema, holder, hasEnded)
	})
	if err != nil && !there && !createdNothing(err) {
		return err // the schema may be there: the note stays
	}
	if err != nil {
		return errors.Join(err, forget())
	}
	fault.At("external: leased")
	if !there {
		if _, err := e.note(holder, false); err != nil {
			return err
		}
	}
	return e.lease.keep(e, holder)
}

// own tells whether the schema is there, as tare's. One that a tare could not mark is marked.
func (e *external) own(ctx context.Context) (there bool, err error) {
	err = e.administer(ctx, func(db *sql.DB) error {
		if err := e.finish(ctx, db, false); err != nil {
			return err
		}
		there, err = mysqld.OwnSchema(ctx, db, e.settings.Schema)
		if e.settings.KeepSchema && errors.Is(err, mysqld.ErrForeignSchema) {
			return nil // whether it is empty is seen as it is marked
		}
		return err
	})
	return there, err
}

// createdNothing is an error after which there is no schema that this process has created.
func createdNothing(err error) bool {
	var held *mysqld.HeldError
	return mysqld.CreatedNothing(err) || errors.As(err, &held)
}

// holder is this process, as other hosts are told of it.
func (e *external) holder(run string) (mysqld.Holder, error) {
	self, err := e.env.Self()
	if err != nil {
		return mysqld.Holder{}, fmt.Errorf("lease schema: %w", err)
	}
	id, err := json.Marshal(self)
	if err != nil {
		return mysqld.Holder{}, fmt.Errorf("lease schema: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return mysqld.Holder{}, fmt.Errorf("lease schema: %w", err)
	}
	return mysqld.Holder{ID: string(id), Host: host, Process: self.PID, Run: run}, nil
}

// hasEnded tells whether the process of a holder is known to run no more.
func hasEnded(id string) bool {
	var n target.Note
	return json.Unmarshal([]byte(id), &n) == nil && n.Ended()
}

// keep begins to renew the lease, unless that is being done.
func (l *lease) keep(e *external, holder mysqld.Holder) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end != nil && l.lost == nil {
		return nil
	}
	at, err := e.address()
	if err != nil {
		return err
	}
	at.Schema = ""
	db, err := mysqld.Open(at)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	ctx, end := context.WithCancel(context.Background()) // it outlives the trial; Release ends it
	l.end, l.ended, l.lost = end, make(chan struct{}), nil
	go func(ended chan struct{}) {
		defer close(ended)
		defer db.Close()
		l.renew(ctx, db, e.settings.Schema, holder.ID)
	}(l.ended)
	return nil
}

// renew renews the lease until ctx ends or another holder has it. An error of the server
// is not the lease's: whoever measures sees for itself that the server does not answer.
func (l *lease) renew(ctx context.Context, db *sql.DB, schema, id string) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		bounded, cancel := context.WithTimeout(ctx, renewEvery)
		err := mysqld.RenewLease(bounded, db, schema, id)
		cancel()
		if errors.Is(err, mysqld.ErrLeaseLost) {
			l.lose(err)
			return
		}
	}
}

func (l *lease) lose(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = err
}

// lostBy is how the lease was lost, nil while it is held.
func (l *lease) lostBy() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// stop ends the renewal and tells whether the lease had been taken.
func (l *lease) stop() bool {
	l.mu.Lock()
	end, ended := l.end, l.ended
	l.end = nil
	l.mu.Unlock()
	if end == nil {
		return false
	}
	end()
	<-ended
	return true
}

// checkLease refuses a schema that another tare uses. It writes nothing.
func (e *external) checkLease(ctx context.Context, db *sql.DB) error {
	other, err := e.heldBy(ctx, db)
	if err != nil || other == nil {
		return err
	}
	return target.FieldError{Field: "schema", Err: target.Unavailable{Err: other}}
}

// heldBy is the other holder of the lease, nil for none.
func (e *external) heldBy(ctx context.Context, db *sql.DB) (*mysqld.HeldError, error) {
	self, err := e.holder("")
	if err != nil {
		return nil, err
	}
	other, err := mysqld.ReadLease(ctx, db, e.settings.Schema)
	if err != nil || other == nil || other.Holder.ID == self.ID || hasEnded(other.Holder.ID) {
		return nil, err
	}
	return other, nil
}

// Release drops the schema, if it is tare's and no other tare uses it.
func (e *external) Release(ctx context.Context) error {
	had := e.lease.stop()
	holder, err := e.holder("")
	if err != nil {
		return err
	}
	err = e.administer(ctx, func(db *sql.DB) error {
		return errors.Join(e.finish(ctx, db, false), e.drop(ctx, db, holder, hasEnded))
	})
	var held *mysqld.HeldError
	if errors.As(err, &held) && !had {
		return nil // it was never this target's
	}
	if err != nil {
		return err
	}
	return e.forget()
}

// dropLeft drops the schema of a tare that has ended or, with force, of any.
func (e *external) dropLeft(ctx context.Context, force bool) error {
	holder, err := e.holder("")
	if err != nil {
		return err
	}
	ended := func(id string) bool { return force || hasEnded(id) }
	return e.administer(ctx, func(db *sql.DB) error {
		return errors.Join(e.finish(ctx, db, force), e.drop(ctx, db, holder, ended))
	})
}

// drop drops a schema of tare's that no other tare uses. Of one that tare was given, an empty one is what it
// leaves, and what two arms on one server leave twice.
func (e *external) drop(ctx context.Context, db *sql.DB, holder mysqld.Holder, ended func(id string) bool) error {
	schema := e.settings.Schema
	there, err := mysqld.OwnSchema(ctx, db, schema)
	if e.settings.KeepSchema && errors.Is(err, mysqld.ErrForeignSchema) {
		if empty, _ := mysqld.Unfinished(ctx, db, schema); empty {
			return nil
		}
	}
	if err != nil || !there {
		return err
	}
	if err := mysqld.TakeLease(ctx, db, schema, holder, ended); err != nil {
		return err
	}
	return mysqld.DropSchema(ctx, db, schema)
}
