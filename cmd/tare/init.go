package main

// `tare init`: a first experiment, written for this machine.

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

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
	var database string
	var force bool
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented first experiment for this machine",
		Long: "Write a commented experiment file into the current directory (default " + initFile + "), sized for\n" +
			"the CPUs and the memory of this machine. It compares MySQL as a process with MySQL in a BestEffort\n" +
			"and in a Guaranteed pod, beside the same busy neighbour; where this machine or user cannot run\n" +
			"containers, it compares two settings of the server. The run takes about seven minutes.\n\n" +
			"An existing file is not overwritten without --force.",
		Example: "  tare init\n  tare init --database mysql:8.4 qos.yaml\n  tare check experiment.yaml && tare run experiment.yaml",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			file := initFile
			if len(a) > 0 {
				file = a[0]
			}
			return writeFirst(c.Context(), t, file, database, force)
		},
	}
	databaseFlag(c, &database)
	c.Flags().BoolVar(&force, "force", false, "overwrite FILE")
	return c
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
	Containers           bool
	Why                  string // why there are no containers
}

func writeFirst(ctx context.Context, t *terminal, file, database string, force bool) error {
	text, err := firstFor(ctx, file, database)
	if err != nil {
		return err
	}
	if _, err := experiment.Parse(file, text); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(file, flags, 0o644)
	if errors.Is(err, os.ErrExist) {
		return hinted{usage{fmt.Errorf("init: %s exists", file)}, "overwrite it with --force, or name another file: tare init FILE"}
	}
	if err != nil {
		return usage{fmt.Errorf("init: %w", err)}
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(fmt.Errorf("init: %w", err), f.Close())
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	fmt.Fprintf(t.out, "%s written. Next:\n  tare check %s\n  tare run %s\n", file, file, file)
	return nil
}

// firstFor fills in the first experiment for this machine.
func firstFor(ctx context.Context, file, database string) ([]byte, error) {
	host, err := node.Capacity()
	if err != nil {
		return nil, err
	}
	line, err := serverLine(database)
	if err != nil {
		return nil, err
	}
	cpus := max(1, int(host.CPU/1000))
	f := first{
		File: file, Name: experimentName(file), Database: line,
		CPUs: cpus, Half: max(1, cpus/2), Threads: 4 * cpus,
		MemoryGiB: int64(host.Memory) >> 30, Pool: "256M", Containers: true,
	}
	pool := int64(256 << 20)
	if host.Memory < 3<<30 {
		f.Pool, pool = "64M", 64<<20
	}
	f.Limit = manifest.Size(firstLimit(pool))
	if err := containersHere(ctx); err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		f.Containers, f.Why = false, strings.TrimPrefix(why, "target container: ")
	}
	var b bytes.Buffer
	t, err := template.New(initFile).Parse(firstExperiment)
	if err != nil {
		return nil, fmt.Errorf("read template of the first experiment: %w", err)
	}
	if err := t.Execute(&b, f); err != nil {
		return nil, fmt.Errorf("write first experiment: %w", err)
	}
	return b.Bytes(), nil
}

// firstLimit is a memory limit that a server with a buffer pool stays within, of the newest release and with the defaults of
// everything else: which server will run is not always known here. In steps of 128 MiB.
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
