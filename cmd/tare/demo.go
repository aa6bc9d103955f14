package main

import (
	"errors"
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
	var demo demoOptions
	var printSpec, dry, yes bool
	cluster := clusterFirst{command: "tare demo --kubernetes", name: "demo"}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a nine-minute experiment on this machine, or in a cluster: pods, and a busy neighbour",
		Long: "Run a small experiment on this machine: the same mysqld as a process and in a BestEffort pod, each\n" +
			"without and with another pod that uses half of the CPUs, and in a Guaranteed pod beside that one.\n" +
			"It compares throughput in a closed loop, and p95 and p99 at a rate that all of them can serve.\n" +
			"It takes about nine minutes.\n\n" +
			"It needs root (cgroups), runc, and a mysqld or mariadbd on PATH or named with --database.\n\n" +
			"--kubernetes runs it in the cluster and namespace of the current context: a BestEffort, a Burstable and a\n" +
			"Guaranteed pod, the Service, and each class beside a busy pod. It looks for a node with free CPU, quotas and\n" +
			"permissions, says what it will do and what it leaves out, and asks before it begins. A pod carries the run\n" +
			"out, where that is possible: this machine may sleep meanwhile. --dry-run prints the objects only, also\n" +
			"without a cluster (exit code 3). This is the default of `kubectl tare demo`.",
		Example: "  tare demo\n  tare demo --database mysql:8.4\n  tare demo --print-spec > my.yaml\n  tare demo --kubernetes --dry-run",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			cluster.database = demo.place
			if err := errors.Join(cluster.only(c, "dry-run", "yes"), cluster.notWith(c, "attribute", "print-spec")); err != nil {
				return err
			}
			if cluster.on {
				cluster.rounds = demo.rounds
				if demo.quick {
					cluster.rounds = 2
				}
				if dry {
					return dryRun(c.Context(), t, cluster)
				}
				return demoInCluster(c.Context(), t, cluster, o, yes)
			}
			if err := measuresHere(); err != nil && !printSpec {
				return hinted{fmt.Errorf("demo: %w", err), "use a cluster: tare demo --kubernetes"}
			}
			spec, err := demoSpec(demo, runtime.NumCPU())
			if err != nil {
				return err
			}
			e, err := experiment.ParseIn(".", "demo.yaml", spec) // --database is relative to the current directory
			if err != nil {
				return err
			}
			if printSpec {
				_, err := t.out.Write(e.Source)
				return err
			}
			return startRun(c.Context(), t, e, o)
		},
	}
	databaseFlag(c, &demo.place)
	c.Flags().BoolVar(&demo.quick, "quick", false, "2 rounds of 1 s: shows the output, too few rounds for a verdict")
	roundsFlag(c.Flags(), &demo.rounds, 0, "number of rounds; 20 take about 20 minutes and give narrower intervals (default 8, with --attribute 6)")
	c.MarkFlagsMutuallyExclusive("quick", "rounds")
	c.Flags().BoolVar(&demo.attribute, "attribute", false, "attribute the cost to layers: container, CPU quota, neighbour, and a setting without effect")
	runFlags(c, &o)
	c.Flags().BoolVar(&printSpec, "print-spec", false, "print the experiment file and exit")
	group(c.Flags(), "Flags")
	cluster.flags(c)
	c.Flags().BoolVar(&dry, "dry-run", false, "with --kubernetes: print the objects as YAML and exit")
	c.Flags().BoolVar(&yes, "yes", false, "with --kubernetes: run without a question")
	group(c.Flags(), "In a cluster")
	return c
}

// demoOptions are what the demo's experiment can differ in.
type demoOptions struct {
	place            string // of the server
	quick, attribute bool
	rounds           int // 0 is as many as the file has
}

// protocol is the experiment's own, with as many rounds as were asked for.
func (o demoOptions) protocol(own string) string {
	switch {
	case o.quick:
		return "protocol: {rounds: 2, warmup: 1s, measure: 1s, ready: 60s, seed: 2019, aa: false, voids: 0}"
	case o.rounds > 0:
		_, rest, _ := strings.Cut(own, ",")
		return fmt.Sprintf("protocol: {rounds: %d,%s", o.rounds, rest)
	}
	return own
}

// demoSpec is the demo's experiment with the server put in and made as large as
// a machine of so many CPUs: load for all of them, a neighbour for half. It
// stands in the run directory as if the user had written it.
func demoSpec(o demoOptions, cpus int) ([]byte, error) {
	half := max(cpus/2, 1)
	which := examples.Demo
	if o.attribute {
		which = examples.Layers
	}
	spec := strings.NewReplacer(
		examples.DemoThreads, fmt.Sprintf("threads: %d", 4*cpus),
		examples.DemoNeighbour, fmt.Sprintf("cpu: %d, request: 100m", half),
		examples.LayersQuota, fmt.Sprintf("quota: {cpu: %d,", half),
		examples.DemoProtocol, o.protocol(examples.DemoProtocol),
		examples.LayersProtocol, o.protocol(examples.LayersProtocol),
	).Replace(string(which))
	var line string
	switch {
	case o.place == "" && !haveServer():
		return nil, hinted{usage{fmt.Errorf("demo: no mysqld or mariadbd on PATH")},
			"install one (apt install mariadb-server-core mariadb-client-core), or name one: tare demo --database mysql:8.4"}
	case o.place == "":
		line = "  # mysqld or mariadbd of this host"
	case strings.HasPrefix(o.place, "/"):
		line = "  path: " + quote(o.place)
	default: // image: takes rootfs: and oci: as well
		line = "  image: " + quote(o.place)
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
