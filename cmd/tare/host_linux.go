package main

// What tare does on its own host: it runs servers, and processes of its own beside them.

import (
	"context"
	"errors"
	"os"

	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/container"
	"github.com/tarebench/tare/internal/target/process"
)

// measuresHere is nil, because servers can run on this host.
func measuresHere() error { return nil }

func newProcess(decode func(any) error, job *runner.Job) (target.Target, error) {
	return process.New(decode, process.Env{Distribution: job.Distribution, Neighbour: neighbourArgv(), Packets: packetsArgv()})
}

func newContainer(decode func(any) error, job *runner.Job) (target.Target, error) {
	return container.New(decode, container.Env{Distribution: job.Distribution, Neighbour: neighbourArgv(), Packets: packetsArgv(), Generator: selfArgv("load", "part")})
}

// newPreparer is the plain process that makes data.
func newPreparer() (target.Target, error) {
	return process.New(func(any) error { return nil }, process.Env{})
}

// containersHere says why this machine and this user can run none: then they have
// none of a container's layers.
func containersHere(ctx context.Context) error {
	plain, err := container.New(func(any) error { return nil }, container.Env{})
	if err != nil {
		return err
	}
	return errors.Join(plain.Check(ctx)...)
}

// allLayers are the layers of a container, with the tests whether this machine has them.
func allLayers() ([]layer.Layer, error) { return layer.All(packetsArgv()), nil }

// removeTrials removes what attempts at a network left.
func removeTrials() error { return network.RemoveTrials() }

// neighbourArgv is how a pod beside the server is started.
func neighbourArgv() []string { return selfArgv("neighbour") }

// packetsArgv is how the processes of an arm's network are started.
func packetsArgv() []string { return selfArgv("packets") }

// selfArgv is this binary again.
func selfArgv(verb ...string) []string {
	self, err := os.Executable()
	if err != nil { // /proc is not mounted; the check of the target says so
		return nil
	}
	return append([]string{self}, verb...)
}
