package runner

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// hostFacts are the machine's, and the data directory's file system.
func hostFacts() []record.Fact { return node.HostFacts(os.DirFS("/")) }

// fileSystemFact is the file system of a data directory on this machine.
func fileSystemFact(dataDir string) record.Fact {
	fact := record.Fact{Key: keys.DataFilesystem, Source: "statfs " + dataDir}
	kind, err := node.FileSystem(dataDir)
	if err != nil {
		fact.Unknown = err.Error()
	}
	fact.Value = kind
	return fact
}

// distributionFacts are the server's files, with the program's hash as it is now.
func distributionFacts(d mysqld.Distribution, now *contents) []record.Fact {
	program := record.Fact{Key: keys.ServerSHA256, Source: d.Server}
	sum, err := now.sum(filepath.Join(d.Root, d.Server))
	if program.Value = sum; err != nil {
		program.Unknown = err.Error()
	}
	return []record.Fact{
		{Key: keys.ServerFlavour, Value: d.Flavour, Source: d.Server},
		{Key: keys.ServerVersion, Value: d.Version, Source: d.Server},
		program,
		{Key: keys.ServerSource, Value: d.Source, Source: "experiment.yaml"},
	}
}

// dataFact is the checksum of the copy that a trial began with.
func dataFact(sum string) record.Fact {
	return record.Fact{Key: keys.DataSHA256, Value: sum, Source: "all files of the trial's data directory, before the server started"}
}

// serverFacts are the server's variables as it answers them: what is effective,
// not what was asked for.
func serverFacts(ctx context.Context, at mysqld.Address) []record.Fact {
	variables, err := variables(ctx, at)
	if err != nil {
		return []record.Fact{{Key: keys.MySQLVariables, Source: "SHOW GLOBAL VARIABLES", Unknown: err.Error()}}
	}
	names := make([]string, 0, len(variables))
	for name := range variables {
		names = append(names, name)
	}
	sort.Strings(names)
	facts := make([]record.Fact, 0, len(names))
	for _, name := range names {
		facts = append(facts, record.Fact{Key: keys.MySQLVariablePrefix + name, Value: variables[name], Source: "SHOW GLOBAL VARIABLES"})
	}
	return facts
}

// dataBytes is the size of the files of the tables with their indexes, which InnoDB knows. Its
// statistics of tables (data_length and index_length) are an estimate from a sample of pages: 5
// MiB of files of 14 MiB. A user without the privilege PROCESS gets none.
func dataBytes(ctx context.Context, at mysqld.Address, schema string) record.Fact {
	const query = "SELECT COALESCE(SUM(FILE_SIZE), 0) FROM information_schema.%s WHERE LEFT(NAME, CHAR_LENGTH(?) + 1) = CONCAT(?, '/')"
	f := record.Fact{Key: keys.DataBytes}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	db, err := mysqld.Open(at)
	if err == nil {
		defer db.Close()
		for _, table := range []string{"INNODB_TABLESPACES", "INNODB_SYS_TABLESPACES"} { // MySQL's, MariaDB's
			f.Source = fmt.Sprintf(query, table)
			if err = db.QueryRowContext(ctx, f.Source, schema, schema).Scan(&f.Value); err == nil {
				break
			}
		}
	}
	switch {
	case err != nil:
		f.Value, f.Unknown = "", err.Error()
	case f.Value == "0": // no tables of InnoDB, or tables in a tablespace that they share
		f.Value, f.Unknown = "", record.NoTablespaces.Say()
	}
	return f
}

func variables(ctx context.Context, at mysqld.Address) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	db, err := mysqld.Open(at)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return mysqld.Variables(ctx, db)
}

// shutdown ends a server so that its data directory can be copied: everything
// flushed, nothing to recover.
func shutdown(ctx context.Context, server target.Server, db *sql.DB) error {
	if err := mysqld.CleanShutdown(ctx, db); err != nil {
		return err
	}
	deadline := time.Now().Add(2 * time.Minute)
	for server.Alive() == nil {
		if time.Now().After(deadline) {
			return errors.New("shut down server: it still runs after 2m0s")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

func hashFile(h hash.Hash, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(h, f)
	return err
}
