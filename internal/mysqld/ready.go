package mysqld

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/record"
)

var (
	// ErrNotReady: the server process runs and did not answer a query in its
	// time. A starved server ends like this, which is an outcome of a trial.
	ErrNotReady = errors.New("server did not become ready")
	// ErrDied: the server process ended before it answered.
	ErrDied = errors.New("server died before it was ready")
)

// readyEvery is the time between two attempts: well below what a start takes,
// and cheap, as an attempt fails at once while nothing listens.
const readyEvery = 50 * time.Millisecond

// Ready waits until the server at a answers a query, and returns nil then.
// alive is asked all along and returns nil while the server process runs, else
// how it ended; it may be nil for a server whose process is not ours. The error
// is ErrDied, ErrNotReady (within has passed), that of ctx, or, at once, one
// that waiting does not resolve: a wrong password, a certificate that is not
// trusted.
func Ready(ctx context.Context, a Address, within time.Duration, alive func() error) error {
	db, err := Open(a)
	if err != nil {
		return err
	}
	defer db.Close()
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	watched, died := watch(limit, alive)
	defer died(nil)

	last := errors.New(record.NotAsked.Say())
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for {
		err := ask(watched, db)
		switch {
		case err == nil:
			return nil
		case final(err):
			return record.ConnectServer.Wrap(err)
		case watched.Err() == nil:
			last = err // the end of the wait is not a reason by itself
		}
		select {
		case <-tick.C:
		case <-watched.Done():
			return gaveUp(ctx, watched, within, last)
		}
	}
}

// watch returns a context that ends, with how as its cause, when alive says
// that the process has. Watching beside the attempts matters: an attempt on a
// server that accepts and then hangs would otherwise hide its death.
func watch(ctx context.Context, alive func() error) (context.Context, context.CancelCauseFunc) {
	watched, cancel := context.WithCancelCause(ctx)
	if alive == nil {
		return watched, cancel
	}
	go func() {
		tick := time.NewTicker(readyEvery)
		defer tick.Stop()
		for {
			if err := alive(); err != nil {
				cancel(record.DiedBeforeReady.Error(errors.Join(ErrDied, err), err.Error()))
				return
			}
			select {
			case <-tick.C:
			case <-watched.Done():
				return
			}
		}
	}()
	return watched, cancel
}

// ask makes a connection and a query: a server accepts connections before its
// storage engine can answer.
func ask(ctx context.Context, db *sql.DB) error {
	var one int
	return db.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// gaveUp says why the wait ended.
func gaveUp(ctx, watched context.Context, within time.Duration, last error) error {
	switch cause := context.Cause(watched); {
	case errors.Is(cause, ErrDied):
		return cause
	case ctx.Err() != nil:
		ended := context.Cause(ctx)
		return record.WaitServer.Wrap(ended)
	}
	return record.NotReadyWithin.Error(errors.Join(ErrNotReady, last), within.String(), last.Error())
}

// finalCodes are the errors of a server that is up and refuses us
// (mysqld_error.h): waiting does not resolve them.
var finalCodes = map[uint16]bool{
	1044: true, // no access to the schema
	1045: true, // wrong user or password
	1049: true, // unknown schema
	1130: true, // host is not allowed to connect
	1251: true, // client does not support the authentication
	1698: true, // access denied, authentication by socket
	3118: true, // account is locked
	3159: true, // TLS is required
}

// final says whether an error will stay however long one waits.
func final(err error) bool {
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		return finalCodes[refused.Number]
	}
	var untrusted *tls.CertificateVerificationError
	return errors.As(err, &untrusted) || errors.Is(err, mysql.ErrNoTLS)
}
