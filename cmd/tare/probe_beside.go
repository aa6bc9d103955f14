package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// besideIdle is after how long without a question the probes beside a server end: a
// tare that was killed asks no more, and nobody else would end them.
const besideIdle = 10 * time.Minute

// probeBesideVerb is what a probe pod runs on the node of a server: it reads the
// kernel's files there whenever the tare that measures asks it over TCP. The server
// itself is asked by that tare, so no password comes here.
func probeBesideVerb(t *terminal) *cobra.Command {
	var want probe.Wanted
	var dataDir, listen string
	c := &cobra.Command{
		Use: "beside", Short: "Read the probes of a server on this machine for a tare elsewhere", Hidden: true,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if (want.Container == "") == (want.Variable == "") {
				return usage{fmt.Errorf("say which server: --container ID or --variable NAME=VALUE")}
			}
			at, err := net.ResolveTCPAddr("tcp", listen)
			if err != nil {
				return usage{fmt.Errorf("--listen: %w", err)}
			}
			root := os.DirFS("/")
			pid, err := probe.Find(root, want)
			if err != nil {
				return err
			}
			l, err := net.ListenTCP("tcp", at)
			if err != nil {
				return fmt.Errorf("serve probes: %w", err)
			}
			fmt.Fprintf(t.err, "%s%d on %s\n", target.ProbesOf, pid, l.Addr())
			place := probe.Place{Root: root, PID: pid, DataDir: dataDir, Apart: true}
			return probe.Start(place, probe.OfMachine()).About(machineFacts()).Serve(c.Context(), l, besideIdle)
		},
	}
	c.Flags().StringVar(&want.Container, "container", "", "the server's container, as the container runtime calls it")
	c.Flags().StringVar(&want.Variable, "variable", "", "an entry of the server's environment, NAME=VALUE")
	c.Flags().StringVar(&dataDir, "data", "", "the data directory as the server sees it")
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "where to be asked")
	return c
}

// machineFacts are what the kernel says of this machine. The rest of them would be
// of the pod: its image's files, and the CPUs that it may use.
func machineFacts() []record.Fact {
	var facts []record.Fact
	for _, f := range node.HostFacts(os.DirFS("/")) {
		if strings.HasPrefix(f.Source, "/proc/") || strings.HasPrefix(f.Source, "/sys/") {
			f.Phase = "start"
			facts = append(facts, f)
		}
	}
	return facts
}
