package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/examples"
	"github.com/tarebench/tare/internal/experiment"
)

func demoVerb(t *terminal) *cobra.Command {
	var o runOptions
	var place string
	var quick, attribute, printSpec bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Weigh a MySQL on this machine: bare, BestEffort and Guaranteed, in minutes",
		Long: "Run the first study, small, on this machine: the same mysqld bare, in a BestEffort pod and in\n" +
			"a Guaranteed pod, the pods on a node where another pod wants half of the CPUs. About five minutes.\n" +
			"Needs root (cgroups), runc, sysbench, and a mysqld or mariadbd: on PATH, or named with --database.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			spec, err := demoSpec(place, quick, attribute, runtime.NumCPU())
			if err != nil {
				return err
			}
			if printSpec {
				_, err := t.out.Write(spec)
				return err
			}
			e, err := experiment.Parse("demo.yaml", spec)
			if err != nil {
				return err
			}
			return startRun(c.Context(), t, e, o)
		},
	}
	c.Flags().StringVar(&place, "database", "", "rootfs:DIR, oci:PATH, an image reference, or the path of a server binary")
	c.Flags().BoolVar(&quick, "quick", false, "2 rounds of 3 s: shows how it works, decides nothing")
	c.Flags().BoolVar(&attribute, "attribute", false, "ask which layer owns how much of the loss: container, CPU quota, neighbour")
	c.Flags().StringVar(&o.out, "out", "", "run directory to make (default runs/demo-TIME)")
	c.Flags().BoolVar(&o.json, "json", false, "progress and result as JSON")
	c.Flags().StringVar(&o.metrics, "metrics", "", "serve live figures for Prometheus at this address")
	c.Flags().BoolVar(&printSpec, "print-spec", false, "print the experiment and do nothing else")
	return c
}

// demoSpec is the demo's experiment with the server put in and made as large as
// a machine of so many CPUs: load for all of them, a neighbour for half. It
// stands in the run directory as if the user had written it.
func demoSpec(place string, quick, attribute bool, cpus int) ([]byte, error) {
	half := max(cpus/2, 1)
	which := examples.Demo
	if attribute {
		which = examples.Layers
	}
	spec := strings.NewReplacer(
		examples.DemoThreads, fmt.Sprintf("threads: %d", 4*cpus),
		examples.DemoNeighbour, fmt.Sprintf("cpu: %d, request: 100m", half),
		examples.LayersQuota, fmt.Sprintf("quota: {cpu: %d,", half),
	).Replace(string(which))
	if quick {
		short := "protocol: {rounds: 2, warmup: 1s, measure: 3s, ready: 60s, seed: 2019}"
		spec = strings.NewReplacer(examples.DemoProtocol, short, examples.LayersProtocol, short).Replace(spec)
	}
	var line string
	switch {
	case place == "" && !haveServer():
		return nil, hinted{usage{fmt.Errorf("demo: no mysqld or mariadbd is on PATH")},
			"install one (apt install mariadb-server-core mariadb-client-core), or name one: tare demo --database mysql:8.4"}
	case place == "":
		line = "  # mysqld or mariadbd of this host"
	case strings.HasPrefix(place, "/"):
		line = "  path: " + quote(place)
	default: // image: takes rootfs: and oci: as well
		line = "  image: " + quote(place)
	}
	return []byte(strings.Replace(spec, examples.DemoServer, line, 1)), nil
}

func quote(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

func haveServer() bool {
	for _, name := range []string{"mysqld", "mariadbd", "/usr/sbin/mysqld", "/usr/sbin/mariadbd"} {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}
