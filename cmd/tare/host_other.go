//go:build !linux

package main

// Servers and the processes beside them run on Linux only; clusters and servers that others run are measured from here.

import (
	"context"
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// needsLinux is why nothing can run on this host.
type needsLinux struct{}

func (needsLinux) Error() string {
	return "measuring on this host needs Linux, and this is " + systemName() + "; from here, tare measures clusters and external servers (target: kubernetes or external)"
}

func (needsLinux) Unwrap() error { return errors.ErrUnsupported }

// systemName is what people call the operating system.
func systemName() string {
	switch runtime.GOOS {
	case "darwin":
		return "macOS"
	case "windows":
		return "Windows"
	}
	return runtime.GOOS
}

// measuresHere says why no server can run on this host.
func measuresHere() error { return needsLinux{} }

func newProcess(func(any) error, *runner.Job) (target.Target, error) { return nil, unavailable() }

func newContainer(func(any) error, *runner.Job) (target.Target, error) { return nil, unavailable() }

func newPreparer() (target.Target, error) { return nil, unavailable() }

// unavailable is an error of the place and not of the file.
func unavailable() error { return target.Unavailable{Err: needsLinux{}} }

func containersHere(context.Context) error { return needsLinux{} }

func allLayers() ([]layer.Layer, error) { return nil, needsLinux{} }

func removeTrials() error { return nil }

// packetsVerb is plumbing of Linux's alone.
func packetsVerb(*terminal) *cobra.Command {
	return &cobra.Command{Use: "packets", Hidden: true, RunE: func(*cobra.Command, []string) error { return needsLinux{} }}
}
