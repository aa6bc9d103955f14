// Command tare-pod is the part of tare that pods beside a server run: tare streams it into them, because it is a
// fraction of tare's size.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/inpod"
)

// Exit codes, as those of tare.
const (
	exitDone    = 0
	exitInvalid = 2
	exitFailed  = 3
	exitEnded   = 128 + int(syscall.SIGTERM)
)

// version is that of the tare that it is built with (-ldflags "-X main.version=1.2.3").
var version = ""

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit code.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	environment.NoCoreFile()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(errs, "tare: %s\n", err)
	}
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		return exitEnded
	case errors.As(err, &inpod.Invalid{}):
		return exitInvalid
	}
	return exitFailed
}

// rootCommand has the commands where tare has them.
func rootCommand() *cobra.Command {
	root := &cobra.Command{Use: "tare-pod", Short: "The part of tare that its pods run", Version: version, SilenceErrors: true, SilenceUsage: true}
	load, probe := &cobra.Command{Use: "load"}, &cobra.Command{Use: "probe"}
	load.AddCommand(inpod.LoadPart())
	probe.AddCommand(inpod.ProbeBeside())
	root.AddCommand(load, probe, inpod.Neighbour(), inpod.Digest())
	return root
}
