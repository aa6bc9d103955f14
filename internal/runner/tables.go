package runner

// Where the tables of a running server are made from: by the generators that will load it,
// if those run near it, and else by this machine.

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// makers are generators elsewhere that can make tables before they load them.
type makers struct {
	of       int
	generate loadgen.Generate
	clear    func(context.Context) error
}

// makersOf are the generators of all arms' load, or the server's own; of is 0 if this
// machine makes the tables.
func (j Job) makersOf(server target.Server, in *instance) makers {
	if from := j.From; from != nil {
		return makers{
			of: from.Generators,
			generate: func(ctx context.Context, job []byte, line func(int, []byte) error) error {
				return from.Generate(ctx, in.Name, job, line)
			},
			clear: func(ctx context.Context) error { return from.Stop(ctx, in.Name) },
		}
	}
	if has := server.Capabilities(); has.Generators > 0 && has.ClearGenerators != nil {
		return makers{has.Generators, has.Generate, has.ClearGenerators}
	}
	return makers{}
}

// clearWithin bounds the removal of generators.
const clearWithin = 2 * time.Minute

// makingSilentFor is how long a server may answer nothing while its tables are made, which is not measured: under a small CPU
// quota the loading takes all of it, and a connection through an API server breaks off and is made again.
const makingSilentFor = 2 * time.Minute

// makeTables makes the tables of the workload on a server that runs, and watches it meanwhile: who makes
// them sees a broken connection, and not that the server was killed at its memory limit.
func (j Job) makeTables(ctx context.Context, server target.Server, in *instance, log io.Writer) error {
	var hold []string
	by := j.makersOf(server, in)
	if by.of > 0 {
		hold = barrier.HoldSQL(in.Name)
	}
	watched, l := watchServer(ctx, server, j.schemaOf(server.Address()), makingSilentFor, false, hold...)
	err := j.makeTablesBy(watched, server, in, by, log)
	if lost := l.conclude(ctx); lost != nil && ctx.Err() == nil {
		return record.WhileMaking.Wrap(lost)
	}
	return err
}

// makeTablesBy makes the tables from this machine or by generators. Made through the API server of a cluster,
// row by row, data of many gigabytes would take days.
func (j Job) makeTablesBy(ctx context.Context, server target.Server, in *instance, by makers, log io.Writer) error {
	job := j.making(server.Address(), in)
	if by.of == 0 {
		return j.Engine.Prepare(ctx, job, log)
	}
	at := target.ClientOf(server).Address
	at.Schema = job.Server.Schema
	err := loadgen.PrepareBy(ctx, job, at, by.of, in.Name, by.generate, log)
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearWithin)
	defer cancel()
	return errors.Join(err, by.clear(bounded))
}
