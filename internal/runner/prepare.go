package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// data are the prepared data directories: made once for each server, copied for every trial.
type data struct {
	dirs     map[string]string // by arm; arms with the same server share one
	contents *contents
	kept     map[string]kept // of arms whose rows are on a server of somebody else's
	// unstarted says of an arm why the server in which its rows were to be made did not start.
	unstarted map[string]error
}

// schema is the one that the load lives in on a server of tare's own.
const schema = "sbtest"

func (j Job) schemaOf(at mysqld.Address) string {
	if at.Schema != "" { // an external server: the target names its own
		return at.Schema
	}
	return cmp.Or(j.Experiment.Data.Schema, schema)
}

// manifest says what a prepared data directory is, so that it can be used
// again by a later run that wants exactly this.
type manifest struct {
	// Format is the version of the checksum.
	Format  int               `json:"format"`
	Server  string            `json:"server_sha256"`
	Flavour string            `json:"flavour"`
	Config  map[string]string `json:"config"`
	Engine  string            `json:"engine"`
	Load    string            `json:"workload"`
	File    string            `json:"workload_sha256,omitempty"` // of a workload file or script
	Options map[string]string `json:"options"`
	Tables  int               `json:"tables"`
	Own     int               `json:"own_tables,omitempty"` // of a workload with a table for each connection
	Rows    int64             `json:"rows"`
	Scale   int               `json:"scale,omitempty"`
	Seed    uint64            `json:"seed"`
	From    string            `json:"from,omitempty"` // of a database of the user's
	Schema  string            `json:"schema,omitempty"`
}

const (
	manifestFile = "tare-manifest.json"
	checksumFile = "tare-sha256"
)

func (j Job) manifest() (manifest, error) {
	e := j.Experiment
	m := manifest{
		Format: 2, Server: j.Distribution.SHA256, Flavour: j.Distribution.Flavour, Config: e.Database.Config,
		Engine: j.Engine.Name(), Load: e.Load.Workload, Options: e.Load.Options,
		Tables: e.Data.Tables, Own: j.ownTables(), Rows: e.Data.Rows, Scale: e.Data.Scale, Seed: e.Protocol.Seed,
	}
	if e.WorkloadFile != nil {
		sum := sha256.Sum256(e.WorkloadFile.Text)
		m.Load, m.File = "file", hex.EncodeToString(sum[:]) // the same file elsewhere makes the same data
	}
	if e.Script != nil {
		sum := sha256.Sum256(e.Script.Text)
		m.Load, m.File = "script", hex.EncodeToString(sum[:])
	}
	if e.Data.From == nil {
		return m, nil
	}
	var err error
	m.Schema = e.Data.Schema
	m.From, err = j.identityOfSource()
	return m, err
}

func (m manifest) key() string {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and integers always encode
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// prepare makes the data that the trials still to do need: a data directory for
// servers of tare's own, rows in a schema for somebody else's.
func prepare(ctx context.Context, j Job, todo []experiment.Trial) (data, error) {
	source := data{dirs: map[string]string{}, contents: j.contents, kept: map[string]kept{}, unstarted: map[string]error{}}
	made := map[string]string{} // by what they are, so that each is made and checked once
	seen := map[experiment.Trial]bool{}
	for _, t := range todo {
		place, key := j.place(t)
		if seen[key] {
			continue
		}
		seen[key] = true
		switch place.Data() {
		case target.Files:
			of := j.Of(t.Arm)
			m, err := of.manifest()
			if err != nil {
				return source, err
			}
			if made[m.key()] == "" {
				if made[m.key()], err = prepareFiles(ctx, of, m); err != nil {
					return source, err
				}
			}
			source.dirs[t.Arm] = made[m.key()]
		case target.InServer:
			if source.unstarted[t.Arm] != nil {
				continue
			}
			made, err := prepareInServer(ctx, j, place, t.Arm)
			if none := (notStarted{}); errors.As(err, &none) && t.Arm != j.Experiment.Baseline && ctx.Err() == nil && !errors.As(err, &target.Hopeless{}) {
				source.unstarted[t.Arm] = none.error // its trials say so, and the other arms are measured
				continue
			}
			if err != nil { // the names of objects from manifests are the same in every arm
				return source, record.OfArm.Wrap(err, t.Arm)
			}
			share(source.kept, t.Arm, made)
		case target.PerTrial: // in every trial
		}
	}
	return source, nil
}

// prepareFiles returns the directory with the prepared data of one server, from the cache if
// a run before made it.
func prepareFiles(ctx context.Context, j Job, m manifest) (string, error) {
	dir := filepath.Join(j.State.Dir, dataDir, m.key())
	if sum, err := os.ReadFile(filepath.Join(dir, checksumFile)); err == nil {
		fault.At("data: ready")
		made := filepath.Join(dir, "data")
		return made, j.contents.verify(made, string(sum))
	}
	j.Observe(Progress{Kind: Phase, Phase: "prepare data"})
	in, err := newInstance(j.State, j.Dir)
	if err != nil {
		return "", err
	}
	if j.Experiment.Data.From != nil {
		err = restore(ctx, j, in)
	} else {
		err = fill(ctx, j, in)
	}
	fault.At("data: filled")
	if err == nil {
		err = keep(in, dir, m)
	}
	fault.At("data: kept")
	if err := errors.Join(err, in.remove(context.WithoutCancel(ctx), io.Discard)); err != nil {
		return "", err
	}
	return prepareFiles(ctx, j, m)
}

// fill initialises the server, has the engine make the tables and shuts the
// server down cleanly, so that no trial begins with a recovery. There is no binary log of that,
// which every copy would have: of 200 million rows, 38 GB.
func fill(ctx context.Context, j Job, in *instance) error {
	log, err := j.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	request := in.request(j, log)
	request.Initialize = true
	request.Config = mysqld.WithoutBinaryLog(j.Experiment.Database.Config)
	return j.started(ctx, request, func(server target.Server, db *sql.DB) error {
		if err := createSchema(ctx, db, schema); err != nil {
			return err
		}
		err := survived(ctx, server, j.schemaOf(server.Address()), func(ctx context.Context) error {
			return j.Engine.Prepare(ctx, j.making(server.Address(), in), log)
		})
		if err == nil {
			fault.At("data: rows made")
		}
		return err
	})
}

// started runs a step on a server of the preparer's and shuts it down in order, so that no
// trial begins with a recovery.
func (j Job) started(ctx context.Context, request target.Request, step func(target.Server, *sql.DB) error) (err error) {
	server, err := j.Preparer.Start(ctx, request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	if err := mysqld.Ready(ctx, server.Address(), request.ReadyWithin, server.Alive); err != nil {
		return err
	}
	fault.At("data: server answers")
	db, err := mysqld.Open(server.Address())
	if err != nil {
		return err
	}
	defer db.Close()
	if err := step(server, db); err != nil {
		return err
	}
	return shutdown(ctx, server, db)
}

func createSchema(ctx context.Context, db *sql.DB, name string) error {
	if _, err := db.ExecContext(ctx, "CREATE DATABASE "+mysqld.QuoteName(name)); err != nil {
		return fmt.Errorf("create schema: %w", err)
	}
	return nil
}

// logFile is what making the data is written to. The caller closes it.
func (j Job) logFile() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(j.Dir, "prepare.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("write prepare.log: %w", err)
	}
	return f, nil
}

// keep checksums the data directory of an instance and puts it into the cache
// under its final name in one step.
func keep(in *instance, dir string, m manifest) error {
	sum, err := checksum(in.Data, hashOf)
	if err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o755), os.Mkdir(in.Keep, 0o755)); err != nil {
		return fmt.Errorf("keep data: %w", err)
	}
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("keep data: %w", err)
	}
	fault.At("data: before the move")
	err = errors.Join(
		os.Rename(in.Data, filepath.Join(in.Keep, "data")),
		record.WriteFile(filepath.Join(in.Keep, manifestFile), b),
		record.WriteFile(filepath.Join(in.Keep, checksumFile), []byte(sum)),
	)
	if err == nil {
		fault.At("data: before the rename")
		err = os.Rename(in.Keep, dir)
	}
	if err != nil { // what is there is removed with the instance
		return fmt.Errorf("keep data: %w", err)
	}
	return nil
}

// verify compares prepared data with the checksum that was taken when they were made. It
// reads all of them once a run.
func (c *contents) verify(dir, want string) error {
	got, err := checksum(dir, c.sum)
	if err == nil && got != want {
		err = fmt.Errorf("%s has changed since it was made; remove it, and tare makes it again", dir)
	}
	return err
}

// prepareInServer makes the rows in the schema of an external server. Left-over
// tables of an earlier attempt go first.
func prepareInServer(ctx context.Context, j Job, place target.Target, arm string) (made kept, err error) {
	j.Observe(Progress{Kind: Phase, Phase: "prepare data on the server of arm " + arm})
	log, err := j.logFile()
	if err != nil {
		return made, err
	}
	defer log.Close()
	in, err := newInstance(j.State, j.Dir)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, in.remove(context.WithoutCancel(ctx), log)) }()
	request := in.request(j.Of(arm), log)
	spec, _ := j.Experiment.Arm(arm)
	request.Config = j.Experiment.Settings(spec) // an operator's database is made with them, once
	server, err := place.Start(ctx, request)
	if err != nil {
		return made, notStarted{err}
	}
	j.beside.note(server)
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	if err := mysqld.Ready(ctx, server.Address(), request.ReadyWithin, server.Alive); err != nil {
		return made, notStarted{err}
	}
	if err := j.cleanup(ctx, j.making(server.Address(), in), log); err != nil {
		return made, err
	}
	if err := j.makeTables(ctx, server, in, log); err != nil {
		return made, err
	}
	return keptIn(ctx, server.Address(), j.schemaOf(server.Address()))
}

// notStarted is why a server did not start or answer before anything was done in it.
type notStarted struct{ error }

// Unwrap is why it did not.
func (n notStarted) Unwrap() error { return n.error }

// cleanupWithin bounds the removal of tables: one that another session has locked waits
// for a year (lock_wait_timeout, MySQL Reference Manual).
const cleanupWithin = 10 * time.Minute

// cleanup removes the tables of the workload.
func (j Job) cleanup(ctx context.Context, job loadgen.Job, log io.Writer) error {
	bounded, cancel := context.WithTimeout(ctx, cleanupWithin)
	defer cancel()
	err := j.Engine.Cleanup(bounded, job, log)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("remove tables: the server has not done it within %s; another session may have them locked: %w", cleanupWithin, err)
	}
	return err
}

// makeAnew makes the data of a server that began with none, and has it start again on
// them: it then begins the load as one does that was given a copy, with nothing in
// memory and nothing left to write.
func (t *trial) makeAnew(ctx context.Context) error {
	restart := t.server.Capabilities().Restart
	if restart == nil {
		return errors.New("make data: the server cannot be started again on them")
	}
	if err := t.phase("make data"); err != nil {
		return err
	}
	if err := t.makeTables(ctx, t.server, t.instance, t.log); err != nil {
		return err
	}
	return restart(ctx)
}
