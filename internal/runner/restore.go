package runner

// This file makes the prepared data of a database of the user's: it is copied, or its dump
// is executed, or a server is cloned, once. What the user gave is never written to.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/remove"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/workload/file"
)

// identityOfSource changes with what data.from names. A server to clone can change
// between runs: every run clones it again.
func (j Job) identityOfSource() (string, error) {
	from := j.Experiment.Data.From
	switch {
	case from.Directory != "":
		size, err := backup.Directory(from.Directory)
		return "directory " + from.Directory + " " + size.Identity, err
	case from.Dump != "":
		size, err := backup.Dump(from.Dump)
		return "dump " + from.Dump + " " + size.Identity, err
	}
	return "clone for " + j.Dir, nil
}

// Restored says that the data of data.from have been restored by an earlier run, for the servers of
// all arms.
func (j Job) Restored() bool {
	state, err := j.State.At(j.Experiment.Data.Directory)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(j.Experiment.Arms, func(arm experiment.Arm) bool {
		m, err := j.Of(arm.Name).manifest()
		if err == nil {
			_, err = os.Stat(filepath.Join(state.Dir, dataDir, m.key(), checksumFile))
		}
		return err != nil
	})
}

// restore fills the data directory of an instance.
func restore(ctx context.Context, j Job, in *instance) error {
	log, err := j.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	from := j.Experiment.Data.From
	request := in.request(j, log)
	request.Config = j.Experiment.Database.Config
	switch {
	case from.Directory != "":
		if _, err := cloneTree(from.Directory, in.Data); err != nil {
			return err
		}
	case from.Dump != "":
		request.Initialize = true
		err := j.started(ctx, request, func(server target.Server, db *sql.DB) error {
			if err := createSchema(ctx, db, j.schemaOf(server.Address())); err != nil {
				return err
			}
			return survived(ctx, server, "", func(ctx context.Context) error {
				return ofData(backup.Load(ctx, db, from.Dump, j.schemaOf(server.Address())))
			})
		})
		if err != nil {
			return err
		}
	default:
		if err := j.cloned(ctx, request, in); err != nil {
			return err
		}
	}
	fault.At("data: restored")
	return j.adopt(ctx, request, in, log)
}

// cloned has a server clone the donor into a directory beside its own, which is then the
// instance's data directory: a server cannot be given a clone of its own while it runs.
func (j Job) cloned(ctx context.Context, request target.Request, in *instance) error {
	request.Initialize = true
	const name = "cloned"
	beside := filepath.Join(in.Dir, name)
	err := j.started(ctx, request, func(_ target.Server, db *sql.DB) error {
		var tmp string // as the server sees it
		if err := db.QueryRowContext(ctx, "SELECT @@tmpdir").Scan(&tmp); err != nil {
			return fmt.Errorf("clone: %w", err)
		}
		if err := backup.Clone(ctx, db, *j.Experiment.Data.From.Clone, backup.Shared{There: tmp, Here: request.TmpDir()}, name); err != nil {
			return err
		}
		// The server's temporary directory goes with it.
		return os.Rename(filepath.Join(request.TmpDir(), name), beside)
	})
	if err != nil {
		return err
	}
	if err := errors.Join(remove.Tree(filepath.Dir(in.Dir), in.Data, remove.AnyOwner), os.Rename(beside, in.Data)); err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	return nil
}

// adopt starts a server on restored data, once: it recovers and upgrades them, and root can
// log in. The schema and its tables are checked, so that no trial finds out.
func (j Job) adopt(ctx context.Context, request target.Request, in *instance, log io.Writer) error {
	if err := backup.Stale(in.Data); err != nil {
		return err
	}
	request.Initialize = false
	request.Statements = backup.Login
	return j.started(ctx, request, func(server target.Server, db *sql.DB) error {
		if err := j.hasTables(ctx, db, j.schemaOf(server.Address())); err != nil {
			return err
		}
		if j.Experiment.WorkloadFile == nil {
			return nil
		}
		// It makes the file's own tables, if it has any, and checks its statements.
		return survived(ctx, server, j.schemaOf(server.Address()), func(ctx context.Context) error {
			err := j.Engine.Prepare(ctx, j.making(server.Address(), in), log)
			var refused experiment.Problems
			if errors.As(err, &refused) { // statements that the restored data do not fit
				return DataError{err}
			}
			return err
		})
	})
}

// hasTables says what the load does not find in restored data.
func (j Job) hasTables(ctx context.Context, db *sql.DB, schema string) error {
	schemas, err := column(ctx, db, "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1")
	if err != nil {
		return err
	}
	if !slices.Contains(schemas, schema) {
		return DataError{fmt.Errorf("the data have no schema %s; write data.schema: one of %s", schema, strings.Join(schemas, ", "))}
	}
	have, err := column(ctx, db, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?", schema)
	if err != nil {
		return err
	}
	if len(have) == 0 && !j.fileMakesTables() {
		if err := j.noTable(ctx, db, schema); err != nil {
			return err
		}
	}
	if j.Experiment.WorkloadFile != nil {
		return nil // its statements are checked
	}
	want := loadgen.TablesOf(j.Load(max(1, j.ownTables())))
	for _, name := range want {
		if !slices.Contains(have, name) {
			return DataError{fmt.Errorf("the schema %s has no table %s, which the workload %s reads; data.tables, data.rows and data.scale have to be those of the data", schema, name, j.Experiment.Load.Workload)}
		}
	}
	return nil
}

// DataError is an error of the data of data.from: another attempt with them has it again.
type DataError struct{ Err error }

func (e DataError) Error() string { return e.Err.Error() }

func (e DataError) Unwrap() error { return e.Err }

// ofData is an error of loading a dump: one that the server gives for a statement is of the data, but for those of a full
// disk (ER_DISK_FULL, ER_GET_ERRNO, ER_RECORD_FILE_FULL) and of a server that ends (ER_SERVER_SHUTDOWN).
func ofData(err error) error {
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && !slices.Contains([]uint16{1021, 1030, 1114, 1053}, refused.Number) {
		return DataError{err}
	}
	return err
}

// fileMakesTables says that the workload file has tables of its own.
func (j Job) fileMakesTables() bool {
	if j.Experiment.WorkloadFile == nil {
		return false
	}
	w, err := file.Parse(j.Experiment.WorkloadFile.Name, j.Experiment.WorkloadFile.Text)
	return err == nil && len(w.Tables) > 0
}

// noTable is the error of data without a table. A file can name tables of another schema, so that one without is no error.
func (j Job) noTable(ctx context.Context, db *sql.DB, schema string) error {
	others, err := column(ctx, db, "SELECT DISTINCT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')")
	if err != nil || len(others) > 0 {
		return err
	}
	if j.Experiment.Data.From.Dump != "" {
		return DataError{fmt.Errorf("the dump makes no table in schema %s", schema)}
	}
	return DataError{fmt.Errorf("the data have no table in schema %s", schema)}
}

func column(ctx context.Context, db *sql.DB, query string, args ...any) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return all, nil
}
