// Package external measures a server that someone else runs.
package external

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

type external struct{ settings Settings }

// New makes the target of an arm whose settings decode fills in. Its schema
// is there until the run is over.
func New(decode func(into any) error) (target.Target, error) {
	e := &external{}
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
	err = e.administer(ctx, func(db *sql.DB) error { return mysqld.CreateSchema(ctx, db, e.settings.Schema) })
	if err != nil {
		return nil, err
	}
	// In its schema, as the load is: it has to exist by now.
	db, err := mysqld.Open(address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &server{name: r.Name, address: address, settings: e.settings, db: db}, nil
}

// Release drops the schema, if it is tare's.
func (e *external) Release(ctx context.Context) error {
	return e.administer(ctx, func(db *sql.DB) error { return mysqld.DropSchema(ctx, db, e.settings.Schema) })
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
