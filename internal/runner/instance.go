package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// instance is what one trial's server has on this machine. Its directory appears
// with its owner's note and lock before anything else is made, so that whatever
// a killed run leaves can be found by its name (target.Own, `tare clean`).
type instance struct {
	Name   string
	Dir    string
	RunDir string
	Data   string
	// Copies hold the same data for the further members of a replicated database.
	Copies []string
	// Checksum is of Data as the server found it; "" where it was not copied.
	Checksum string
	// Keep is where prepared data are put together for the cache. A run that is
	// killed meanwhile leaves them to the sweep.
	Keep  string
	owned *target.Owned
}

// newInstance makes the directories of an instance.
func newInstance(s State, run string) (*instance, error) {
	var id [4]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, fmt.Errorf("name instance: %w", err)
	}
	name := "t" + hex.EncodeToString(id[:])
	dir := filepath.Join(s.Dir, "instances", name)
	in := &instance{Name: name, Dir: dir, RunDir: filepath.Join(s.RunDir, name), Data: filepath.Join(dir, "data"), Keep: filepath.Join(dir, "keep")}
	if err := target.OwnDirectory(s.RunDir); err != nil {
		return nil, record.MakeInstance.Wrap(err)
	}
	var err error
	if in.owned, err = target.Own(name, in.Dir, in.RunDir, run); err != nil {
		return nil, err
	}
	fault.At("instance: owned")
	// 0711: the server runs as a user of its own and must reach its files.
	for _, dir := range []string{in.RunDir, in.Data} {
		if err == nil {
			err = os.MkdirAll(dir, 0o711)
		}
	}
	fault.At("instance: directories made")
	if err != nil {
		err = errors.Join(err, in.remove(context.Background(), io.Discard))
		return nil, record.MakeInstance.Wrap(err)
	}
	return in, nil
}

// request is the part of a target's request that the instance knows.
func (in *instance) request(j Job, log io.Writer) target.Request {
	return target.Request{
		Name: in.Name, Dir: in.Dir, RunDir: in.RunDir, Run: j.Dir, DataDir: in.Data, Copies: in.Copies,
		Distribution: j.Distribution, Beside: j.beside.known(), LoadBeside: j.beside.ofLoads(), Log: log, ReadyWithin: j.Experiment.Protocol.Ready.Std(),
		Waiting: func(what string) { j.Observe(Progress{Kind: Waiting, Reason: what}) },
	}
}

// remove ends and removes whatever is left of the instance.
func (in *instance) remove(ctx context.Context, log io.Writer) error {
	return in.owned.Sweep(ctx, log)
}
