package mysqld

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// LeaseTime is how long a lease lasts that is not renewed: a tare that was killed, or
// whose host is gone, keeps others out for that long at most.
const LeaseTime = 30 * time.Second

// LeaseTable stands in a schema of tare's and has one row: who uses the schema.
//
// GET_LOCK would cost no write, but Percona XtraDB Cluster and Galera refuse it, another
// member of a replication group does not know it, and it is lost when the server
// restarts. A row is known everywhere. Its renewal is one small commit in ten seconds.
const LeaseTable = "tare_lease"

// Holder is who uses a schema.
type Holder struct {
	// ID is one process's alone; at most 500 bytes.
	ID string
	// Host, Process and Run are for people: the machine, the process number there, and
	// the run directory.
	Host    string
	Process int
	Run     string
}

// HeldError is a schema that somebody else uses.
type HeldError struct {
	Schema string
	Holder Holder
	// Silent is for how long the holder has not renewed the lease, by the server's clock.
	Silent time.Duration
}

// Error names the holder and what can be done.
func (e *HeldError) Error() string {
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.0f", max(0, d.Seconds())) }
	return record.HeldSchema.Say(e.Schema, strconv.Itoa(e.Holder.Process), e.Holder.Host, e.Holder.Run, seconds(e.Silent), seconds(LeaseTime))
}

// TakeLease makes h the one who uses a schema that [CreateSchema] made, or renews its
// lease. A lease of another holder is taken over when it has ended by time, or when
// ended says so of its ID; else the error is a [HeldError]. Of two that call it at the
// same time, one gets it: the server serialises the updates of the row.
func TakeLease(ctx context.Context, db *sql.DB, schema string, h Holder, ended func(id string) bool) error {
	table, err := leaseOf(schema)
	if err != nil {
		return err
	}
	held := ""
	for range leaseTries {
		taken, err := updateLease(ctx, db, table, h, held)
		if taken {
			return nil
		}
		if err != nil && serverError(err) != errUnknownTable {
			return fmt.Errorf("lease schema %s: %w", schema, err)
		}
		other, err := ReadLease(ctx, db, schema)
		if err == nil && other == nil { // no table, no row yet, or given back meanwhile
			if err = createLease(ctx, db, table); err != nil {
				err = fmt.Errorf("lease schema %s: %w", schema, err)
			}
		}
		switch {
		case err != nil:
			return err
		case other != nil && !ended(other.Holder.ID):
			return other
		case other != nil:
			held = other.Holder.ID
		}
	}
	return fmt.Errorf("lease schema %s: other processes lease it at the same time; try again", schema)
}

// leaseTries are more than are needed: one makes the table, one takes the lease of a holder
// that has ended, and others may come between.
const leaseTries = 5

// createLease makes the table with a lease that is over.
func createLease(ctx context.Context, db *sql.DB, table string) error {
	for _, statement := range []string{
		"CREATE TABLE IF NOT EXISTS " + table + " (id TINYINT NOT NULL PRIMARY KEY, holder VARCHAR(500) NOT NULL, host VARCHAR(255) NOT NULL, process INT NOT NULL, run VARCHAR(500) NOT NULL, renewed DATETIME(6) NOT NULL) ENGINE=InnoDB",
		"INSERT IGNORE INTO " + table + " VALUES (1, '', '', 0, '', '2000-01-01')",
	} {
		if _, err := execute(ctx, db, statement); err != nil {
			return err
		}
	}
	return nil
}

// updateLease writes the row where it is h's, free, over, or held by held.
func updateLease(ctx context.Context, db *sql.DB, table string, h Holder, held string) (bool, error) {
	result, err := execute(ctx, db, "UPDATE "+table+" SET holder = ?, host = ?, process = ?, run = ?, renewed = UTC_TIMESTAMP(6)"+
		" WHERE id = 1 AND (holder IN ('', ?, ?) OR renewed < UTC_TIMESTAMP(6) - INTERVAL ? SECOND)",
		h.ID, cut(h.Host, 255), h.Process, cut(h.Run, 500), h.ID, held, int(LeaseTime.Seconds()))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// ErrLeaseLost: another holder has the lease, or none.
var ErrLeaseLost = errors.New("the lease on the schema was lost")

// RenewLease renews the lease of a holder. It is [ErrLeaseLost] where the holder does
// not have it any more.
func RenewLease(ctx context.Context, db *sql.DB, schema, id string) error {
	table, err := leaseOf(schema)
	if err != nil {
		return err
	}
	result, err := execute(ctx, db, "UPDATE "+table+" SET renewed = UTC_TIMESTAMP(6) WHERE id = 1 AND holder = ?", id)
	if err != nil {
		return fmt.Errorf("renew lease of schema %s: %w", schema, err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	other, err := ReadLease(ctx, db, schema)
	if err != nil || other == nil {
		return errors.Join(fmt.Errorf("renew lease of schema %s: %w", schema, ErrLeaseLost), err)
	}
	return fmt.Errorf("renew lease of schema %s: %w: process %d on host %s has it", schema, ErrLeaseLost, other.Holder.Process, other.Holder.Host)
}

// ReadLease is who has the lease of a schema, as the error that another gets; nil where
// it has no holder, or the schema or its lease does not exist.
func ReadLease(ctx context.Context, db *sql.DB, schema string) (*HeldError, error) {
	table, err := leaseOf(schema)
	if err != nil {
		return nil, err
	}
	held := &HeldError{Schema: schema}
	var micros int64
	err = again(ctx, func() error {
		return db.QueryRowContext(ctx, "SELECT holder, host, process, run, TIMESTAMPDIFF(MICROSECOND, renewed, UTC_TIMESTAMP(6)) FROM "+table+" WHERE id = 1").
			Scan(&held.Holder.ID, &held.Holder.Host, &held.Holder.Process, &held.Holder.Run, &micros)
	})
	held.Silent = time.Duration(micros) * time.Microsecond
	switch code := serverError(err); {
	case errors.Is(err, sql.ErrNoRows), code == errUnknownTable, code == errUnknownSchema:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read lease of schema %s: %w", schema, err)
	case held.Holder.ID == "" || held.Silent > LeaseTime:
		return nil, nil
	}
	return held, nil
}

func leaseOf(schema string) (string, error) {
	if !schemaName.MatchString(schema) {
		return "", fmt.Errorf("lease schema %q: use letters, digits and _, at most 64", schema)
	}
	return "`" + schema + "`." + LeaseTable, nil
}

// cut shortens a text for people to what a column holds.
func cut(s string, n int) string {
	runes := []rune(s)
	return string(runes[:min(n, len(runes))])
}
