package main

// `tare init`: a first experiment, written for this machine.

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
	"github.com/tarebench/tare/internal/node"
)

//go:embed init.yaml.tmpl
var firstExperiment string

// initFile is what `tare init` writes unless it is told another name.
const initFile = "experiment.yaml"

func initVerb(t *terminal) *cobra.Command {
	var o initOptions
	cluster := clusterFirst{command: "tare init --kubernetes"}
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented first experiment for this machine",
		Long: "Write a commented experiment file into the current directory (default " + initFile + "), sized for\n" +
			"the CPUs and the memory of this machine.\n\n" +
			"--compare SETTING=A,B compares two settings of the same server, under a load in which they matter.\n\n" +
			"Without flags the experiment compares MySQL as a process with MySQL in a BestEffort\n" +
			"and in a Guaranteed pod, beside the same busy neighbour; where this machine or user cannot run\n" +
			"containers, it compares two settings of the server. What is left out, and why, is printed. The run takes\n" +
			"about 9 minutes with pods, and about 4 minutes with two settings.\n\n" +
			"--external ADDRESS, once or twice, measures servers that run already, as `tare versus` does.\n\n" +
			"--kubernetes writes an experiment for the cluster and namespace of the current context, with a node that has\n" +
			"free CPU and memory, and sizes that fit. This is the default of `kubectl tare init`.\n\n" +
			"--manifests FILE_OR_DIR, --helm FILE and --operator KIND/NAME write an experiment of a database that is there: as it\n" +
			"is, Guaranteed, and without CPU limit. The objects are written as copies with other names and labels, beside the\n" +
			"experiment; the running database is not touched. --helm takes the output of `helm template`, not a values file.\n" +
			"The containers must have a claim for their data: a hostPath, or a claim that the manifests do not have, is refused.\n\n" +
			"An existing file is not overwritten without --force.",
		Example: "  tare init\n  tare init --database mysql:8.4 qos.yaml\n  tare init --compare innodb_flush_log_at_trx_commit=1,2\n" +
			"  tare init --manifests deploy/ -n bench\n  tare init --external mysql://bench@db1 --external mysql://bench@db2\n  tare check experiment.yaml && tare run experiment.yaml",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			file := initFile
			if len(a) > 0 {
				file = a[0]
			}
			cluster.database = o.database
			if err := o.settingOfRunning(c); err != nil {
				return err
			}
			if o.manifests+o.helm+o.operator != "" {
				if err := o.ownOnly(c); err != nil {
					return err
				}
				if o.operator != "" {
					return writeOfOperator(c.Context(), t, file, o, cluster.at)
				}
				return writeOfManifests(t, file, o, cluster.at)
			}
			if err := errors.Join(cluster.only(c), cluster.notWith(c, "compare", "external")); err != nil {
				return err
			}
			if cluster.on {
				cluster.name = experimentName(file)
				return writeForCluster(c.Context(), t, file, cluster, o.force)
			}
			return writeFirst(c.Context(), t, file, o)
		},
	}
	databaseFlag(c, &o.database)
	c.Flags().StringVar(&o.compare, "compare", "", "a server option and two values or more to compare, for example sync_binlog=0,1")
	c.Flags().StringArrayVar(&o.external, "external", nil, "a server that runs, as mysql://USER@HOST:PORT/SCHEMA or the path of a socket; can be given twice")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite FILE")
	group(c.Flags(), "Flags")
	cluster.flags(c)
	group(c.Flags(), "In a cluster")
	c.Flags().StringVar(&o.manifests, "manifests", "", "a file or directory with the manifests of a database: measure copies of it with other names")
	c.Flags().StringVar(&o.helm, "helm", "", "the output of helm template with a database, as --manifests")
	c.Flags().StringVar(&o.operator, "operator", "", "KIND/NAME of an operator's resource in the cluster, such as InnoDBCluster/shop: it is read, and measured as a resource of tare's own")
	group(c.Flags(), "A database that is there")
	c.MarkFlagsMutuallyExclusive("manifests", "helm", "operator")
	c.MarkFlagsMutuallyExclusive("database", "external")
	return c
}

// initOptions are the flags of `tare init`.
type initOptions struct {
	database, compare string
	external          []string
	force             bool
	// Of a database that is there: one of them, or none.
	manifests, helm, operator string
}

// settingOfRunning refuses --compare of a server that runs already, with the commands that compare two values of it: tare
// does not change a server that it did not start.
func (o initOptions) settingOfRunning(c *cobra.Command) error {
	if !c.Flags().Changed("compare") || len(o.external) == 0 {
		return nil
	}
	setting, _, _ := strings.Cut(o.compare, "=")
	return hinted{usage{errors.New("--compare and --external cannot be used together: tare does not change a server that it did not start")},
		fmt.Sprintf("to compare two values of a running server, change it between two runs:\n    tare versus %[1]s --out runs/before\n    SET GLOBAL %[2]s = ...   (or restart the server with it, if it is not dynamic)\n    tare versus %[1]s --out runs/after\n    tare compare runs/before runs/after", o.external[0], cmp.Or(setting, "SETTING"))}
}

// ownOnly refuses flags that mean nothing for a database that is there.
func (o initOptions) ownOnly(c *cobra.Command) error {
	for _, name := range []string{"database", "compare", "external", "client-image", "node-name"} {
		if c.Flags().Changed(name) {
			return usage{fmt.Errorf("init: --%s is not for --manifests, --helm and --operator: the database is there", name)}
		}
	}
	return nil
}

// databaseFlag is the flag of the verbs that make an experiment.
func databaseFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "database", "", "the server: an image reference, rootfs:DIR, oci:PATH, or the absolute path of a server binary (default mysqld or mariadbd on PATH)")
}

// first is what the template of the first experiment needs.
type first struct {
	File, Name, Database string
	CPUs, Half, Threads  int
	MemoryGiB            int64
	Pool, Limit          string
	Server               string // what was found on this host, or what the file names
	Containers           bool
	Why                  string // why there are no containers
	// Setting and Values are what --compare names, the first value the baseline; Values is empty without it.
	Setting string
	Values  []comparedValue
	// Binlog says that the option has an effect only with a binary log, which MariaDB does not write by default.
	Binlog bool
	// Workload and Rows are a load in which the arms can differ.
	Workload string
	Rows     int
}

// comparedValue is an arm of --compare.
type comparedValue struct{ Arm, Value string }

// outline says what was chosen, what was left out, and why.
func (f first) outline() string {
	load := fmt.Sprintf("Load: %s, %d threads. Server: %s.\n", f.Workload, f.Threads, f.Server)
	switch {
	case len(f.Values) > 0:
		return fmt.Sprintf("Compares %s = %s with every other value, in a process of this host.\n", f.Setting, strings.Trim(f.Values[0].Value, `"`)) + load
	case f.Containers:
		return "Compares the server as a process of this host with a BestEffort and a Guaranteed pod, beside a busy neighbour.\n" + load +
			fmt.Sprintf("Memory limit of the Guaranteed pod: %s, which holds the server with a buffer pool of %s and all its connections. No smaller one is compared: the kernel can end a server that needs more (docs/memory.md).\n", f.Limit, f.Pool) +
			"Left out: nothing; this machine runs containers. A cluster, replication and networks: see tare list layers.\n"
	}
	return "Compares two settings of the server as a process of this host: innodb_flush_log_at_trx_commit 1 and 2.\n" + load +
		"Left out: pods, their limits of CPU and memory, and neighbours: " + f.Why + ".\n"
}

func writeFirst(ctx context.Context, t *terminal, file string, o initOptions) error {
	text, said, err := initialExperiment(ctx, file, o)
	if err != nil {
		return err
	}
	e, err := experiment.ParseIn(".", file, text) // flags are relative to the current directory, and the file may be in another
	if err != nil {
		return err
	}
	if err := writeSpec(file, e.Source, o.force); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s written.\n", file)
	fmt.Fprint(t.notes(), asCalled(fmt.Sprintf("%[2]sNext:\n  tare check %[1]s\n  tare run %[1]s\n", file, said)))
	return nil
}

// initialExperiment is the file, and what is to be said of it.
func initialExperiment(ctx context.Context, file string, o initOptions) (text []byte, said string, err error) {
	switch len(o.external) {
	case 0:
		return firstFor(ctx, file, o.database, o.compare)
	case 1:
		said = "Measures a server that runs against itself. Run it before and after a change, and compare the runs with tare compare.\n"
	case 2:
		said = "Compares two servers that run, under the same load.\n"
	default:
		return nil, "", usage{errors.New("init: --external names one server or two")}
	}
	if text, err = versusSpec(o.external, versusDefaults(), "init --external", experimentName(file)); err != nil {
		return nil, "", usage{err}
	}
	return text, said + "Left out: pods, and what the kernel counts, because nothing is started or read beside a server that somebody else runs.\n", nil
}

// firstFor fills in the first experiment for this machine.
func firstFor(ctx context.Context, file, database, compared string) (text []byte, said string, err error) {
	if err := measuresHere(); err != nil {
		return nil, "", hinted{fmt.Errorf("init: %w", err), "tare init --kubernetes, or tare init --external mysql://USER@HOST"}
	}
	host, err := node.Capacity()
	if err != nil {
		return nil, "", err
	}
	line, err := serverLine(database)
	if err != nil {
		return nil, "", err
	}
	found, server, err := serverOfFirst(ctx, database, line)
	if err != nil {
		return nil, "", err
	}
	cpus := max(1, int(host.CPU/1000))
	f := first{
		File: file, Name: experimentName(file), Database: line,
		CPUs: cpus, Half: max(1, cpus/2), Threads: 4 * cpus,
		MemoryGiB: int64(host.Memory) >> 30, Pool: "256M", Containers: true, Server: server,
	}
	pool := int64(256 << 20)
	if host.Memory < 3<<30 {
		f.Pool, pool = "64M", 64<<20
	}
	f.Limit = manifest.Size(firstLimit(pool))
	if err := containersHere(ctx); err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		f.Containers, f.Why = false, strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(why, "target container: "), "find a container runtime: "), ", or use target: process")
	}
	f.Workload, f.Rows = "oltp_read_only", 20000
	if !f.Containers {
		f.Workload = "oltp_read_write" // the setting that is compared is one of commits
	}
	if compared != "" {
		if f.Setting, f.Values, err = comparedValues(compared); err != nil {
			return nil, "", usage{err}
		}
		if err := checkCompared(ctx, found, f.Setting, f.Values); err != nil {
			return nil, "", err
		}
		f.Workload, f.Rows = loadFor(f.Setting)
		f.Binlog = ofBinlog(f.Setting)
	}
	text, err = rendered(firstExperiment, f)
	return text, f.outline(), err
}

// comparedValues reads SETTING=A,B. Arms are named by their values.
func comparedValues(text string) (setting string, values []comparedValue, err error) {
	setting, list, ok := strings.Cut(text, "=")
	setting = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(setting)), "-", "_")
	words := strings.Split(list, ",")
	if !ok || len(words) < 2 || !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(setting) {
		return "", nil, fmt.Errorf("init: --compare %q: write an option and two values or more, for example sync_binlog=0,1", text)
	}
	for _, word := range words {
		word = strings.TrimSpace(word)
		arm := "value-" + strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(word), "-"), "-")
		if word == "" || !experiment.ValidName(arm) || slices.ContainsFunc(values, func(v comparedValue) bool { return v.Arm == arm }) {
			return "", nil, fmt.Errorf("init: --compare %q: %q is empty, too long or there twice", text, word)
		}
		values = append(values, comparedValue{arm, quote(word)})
	}
	return setting, values, nil
}

// ofBinlog says whether an option is one of the binary log.
func ofBinlog(setting string) bool {
	return setting == "sync_binlog" || strings.HasPrefix(setting, "binlog_") || strings.HasPrefix(setting, "log_bin_")
}

// loadFor is a load in which an option can matter. Reads alone never wait for a commit, and rows that fit into the
// buffer pool are never read again.
func loadFor(setting string) (workload string, rows int) {
	switch {
	case strings.Contains(setting, "buffer_pool"), strings.Contains(setting, "read_ahead"), strings.Contains(setting, "flush_method"):
		return "oltp_read_write", 400000
	case strings.HasPrefix(setting, "sort_"), strings.HasPrefix(setting, "join_"), strings.HasPrefix(setting, "tmp_"), strings.Contains(setting, "query_cache"):
		return "oltp_read_only", 20000
	}
	return "oltp_read_write", 20000
}

// firstLimit is a memory limit that a server with a buffer pool stays within, of the newest release and with the
// defaults of everything else: which server will run is not always known here. In steps of 128 MiB.
func firstLimit(pool int64) int64 {
	const step = 128 << 20
	s := memory.Server{
		Major: 9, Minor: 7, BufferPool: pool, LogBuffer: 64 << 20, PerformanceSchema: true, Large: true, Connections: 151,
		Sort: 256 << 10, Join: 256 << 10, Read: 128 << 10, ReadRandom: 256 << 10, BinlogCache: 32 << 10,
	}
	return (memory.Of(s).Most() + step - 1) / step * step
}

// serverLine is the line of database: for a server; "" where the host's own is meant.
func serverLine(database string) (string, error) {
	switch {
	case database == "" && haveServer():
		return "", nil
	case database == "" && os.Geteuid() != 0:
		return "", hinted{usage{errors.New("init: no mysqld or mariadbd on PATH, and only root can run one from an image")},
			"install one (apt install mariadb-server-core), or run tare as root"}
	case database == "":
		return "image: mysql:8.4   # no mysqld or mariadbd on PATH; the image is downloaded once", nil
	case strings.HasPrefix(database, "/"):
		return "path: " + quote(database), nil
	}
	return "image: " + quote(database), nil // takes rootfs: and oci: as well
}

// experimentName makes a file's name one that an experiment can have.
func experimentName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
	if name == "experiment" || !experiment.ValidName(name) {
		return "first"
	}
	return name
}
