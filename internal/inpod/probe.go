package inpod

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// besideIdle is after how long without a question the probes beside a server end: a
// tare that was killed asks no more, and nothing else would end them.
const besideIdle = 10 * time.Minute

// ProbeBeside is what a probe pod runs on the node of a server, `probe beside`: it reads the
// kernel's files there whenever the tare that measures asks it over TCP. The server
// itself is asked by that tare, so no password comes here.
func ProbeBeside() *cobra.Command {
	var want probe.Wanted
	var dataDir, listen string
	c := &cobra.Command{
		Use: "beside", Short: "Read the probes of a server on this machine for tare on another machine", Hidden: true,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if (want.Container == "") == (want.Variable == "") {
				return Invalid{fmt.Errorf("name the server with --container ID or --variable NAME=VALUE")}
			}
			at, err := net.ResolveTCPAddr("tcp", listen)
			if err != nil {
				return Invalid{fmt.Errorf("--listen: %w", err)}
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
			fmt.Fprintf(c.ErrOrStderr(), "%s%d on %s\n", target.ProbesOf, pid, l.Addr())
			// The other servers of a round, load pods and neighbours on the node are tare's, and bear its mark. So do
			// those of another tare on this node, which it cannot tell from its own.
			others := &probe.Others{Root: root, Own: []int{os.Getpid(), pid}, Mark: target.InstanceVariable, AnyMark: true}
			place := probe.Place{Root: root, PID: pid, DataDir: dataDir, Remote: true, Others: others}
			return probe.Start(place, probe.OfMachine()).About(besideFacts(place)).Serve(c.Context(), l, besideIdle)
		},
	}
	c.Flags().StringVar(&want.Container, "container", "", "id of the server's container")
	c.Flags().StringVar(&want.Variable, "variable", "", "an entry of the server's environment, NAME=VALUE")
	c.Flags().StringVar(&dataDir, "data", "", "data directory in the server's mount namespace")
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address to listen on")
	return c
}

// besideFacts are what the kernel says of this machine and of the data. The rest that
// is known of a host would be of the pod: its image's files, and the CPUs that it may
// use in place of those that there are.
func besideFacts(p probe.Place) []record.Fact {
	var facts []record.Fact
	for _, f := range node.HostFacts(p.Root) {
		switch {
		case f.Key == keys.HostOS, f.Key == keys.HostMachine:
			continue
		case f.Key == keys.HostCPUCount:
			f = processors(p.Root)
		}
		facts = append(facts, f)
	}
	data := record.Fact{Key: keys.DataFilesystem, Source: "mounts of the server"}
	kind, err := p.FileSystem()
	if data.Value = kind; err != nil {
		data.Unknown = err.Error()
	}
	facts = append(facts, data)
	facts = append(facts, target.AllowedFacts(p.PID)...) // which no API tells
	for i := range facts {
		facts[i].Phase = "start"
	}
	return facts
}

// processors are the CPUs of the machine.
func processors(root fs.FS) record.Fact {
	f := record.Fact{Key: keys.HostCPUCount, Source: "/proc/cpuinfo"}
	text, err := fs.ReadFile(root, "proc/cpuinfo")
	if err != nil {
		f.Unknown = err.Error()
		return f
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "processor" {
			n++
		}
	}
	if f.Value = strconv.Itoa(n); n == 0 {
		f.Value, f.Unknown = "", "not given"
	}
	return f
}
