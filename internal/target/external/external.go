// Package external measures a server that someone else runs.
package external

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

type external struct {
	settings Settings
	env      Env
	lease    lease
	running  *target.Running // what Check was told
}

// Env is what the target needs to know of this machine.
type Env struct {
	// Ledger is a directory of notes about schemas on servers that someone else runs
	// (see [Clean]).
	Ledger string
	// Self names the present process; nil is [target.Self]. A test names another process.
	Self func() (target.Note, error)
}

// New makes the target of an arm whose settings decode fills in. Its schema
// is there until the run is over, and one process uses it at a time.
func New(decode func(into any) error, env Env) (target.Target, error) {
	if env.Self == nil {
		env.Self = target.Self
	}
	e := &external{env: env}
	if err := decode(&e.settings); err != nil {
		return nil, err
	}
	if errs := e.settings.contradictions(); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	e.settings = e.settings.defaulted()
	return e, nil
}

func (e *external) Data() target.Data { return target.InServer }

// Endpoint is where the load will connect, without the password, which a check does
// not need.
func (e *external) Endpoint() mysqld.Address {
	a := mysqld.Address{Socket: e.settings.Socket, Host: e.settings.Host, Port: e.settings.Port, User: e.settings.User, Schema: e.settings.Schema, CA: e.settings.CA}
	if e.settings.TLS != mysqld.TLSOff {
		a.TLS = e.settings.TLS
	}
	return a
}

// Start starts nothing: it makes the schema where it is not there yet.
func (e *external) Start(ctx context.Context, r target.Request) (target.Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("use server: %w", err)
	}
	address, err := e.address()
	if err != nil {
		return nil, err
	}
	if err := e.acquire(ctx, r.Run); err != nil {
		return nil, cmp.Or(e.settings.unreached(err), err)
	}
	// In its schema, as the load is: it has to exist by now.
	db, err := mysqld.Open(address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &server{name: r.Name, address: address, settings: e.settings, lease: &e.lease, db: db}, nil
}

// address is where clients connect.
func (e *external) address() (mysqld.Address, error) {
	password, err := e.settings.password()
	if err != nil {
		return mysqld.Address{}, err
	}
	a := e.Endpoint()
	a.Password = password
	return a, nil
}

// administer connects without the schema, which may not be there.
func (e *external) administer(ctx context.Context, do func(*sql.DB) error) error {
	a, err := e.address()
	if err != nil {
		return err
	}
	a.Schema = ""
	db, err := mysqld.Open(a)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(db)
}
