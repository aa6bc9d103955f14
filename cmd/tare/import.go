package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
)

func importVerb(t *terminal) *cobra.Command {
	var out, baseline, margin string
	c := &cobra.Command{
		Use:   "import sysbench --out DIR ARM=FILE...",
		Short: "Read sysbench logs into a run directory",
		Long: "Read logs of sysbench into a run directory, so that they can be compared and reported like a run.\n" +
			"Several files of one arm are its trials. The first arm is the baseline unless --baseline names another.",
		Example: "  tare import sysbench --out runs/2019 bare=bare.log pod=pod.log\n  tare report runs/2019",
		Args:    args(cobra.MinimumNArgs(2)),
		RunE: func(_ *cobra.Command, a []string) error {
			if a[0] != "sysbench" {
				return usage{fmt.Errorf("unknown format %q; use sysbench", a[0])}
			}
			if out == "" {
				return usage{fmt.Errorf("import: no run directory; add --out DIR")}
			}
			var m experiment.Percent
			if err := m.UnmarshalText([]byte(margin)); err != nil {
				return usage{fmt.Errorf("--margin: %w", err)}
			}
			logs, err := readLogs(a[1:])
			if err != nil {
				return usage{err}
			}
			if err := writeImport(out, baseline, float64(m), logs); err != nil {
				return err
			}
			return conclude(t, out, "text")
		},
	}
	c.Flags().StringVar(&out, "out", "", "run directory to create (required)")
	c.Flags().StringVar(&baseline, "baseline", "", "arm that the others are compared with (default the first)")
	c.Flags().StringVar(&margin, "margin", "1%", "difference below which two arms are equivalent")
	return c
}

// log is one file of sysbench's output, read.
type imported struct {
	record.ImportedFile
	lines   []record.Line
	threads int
}

// readLogs reads all files before anything is written, so that a bad one leaves
// nothing behind.
func readLogs(args []string) ([]imported, error) {
	var logs []imported
	var wrong []string
	for _, arg := range args {
		l, err := readLog(arg)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		logs = append(logs, l)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return logs, nil
}

// maxLog is how much of a log is read, in bytes: a day of one-second reports has 10 MB.
const maxLog = 256 << 20

func readLog(arg string) (imported, error) {
	arm, path, ok := strings.Cut(arg, "=")
	if !ok || !experiment.ValidName(arm) {
		return imported{}, fmt.Errorf("import: %q: use ARM=FILE, with lower-case letters, digits and dashes in ARM", arg)
	}
	f, err := os.Open(path)
	if err != nil {
		return imported{}, fmt.Errorf("import: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	in := bufio.NewReader(io.LimitReader(f, maxLog))
	if start, _ := in.Peek(4096); bytes.IndexByte(start, 0) >= 0 {
		return imported{}, fmt.Errorf("import: %s is not a log of sysbench: it is not text", path)
	}
	lines, threads, err := loadgen.Import(path, io.TeeReader(in, sum))
	if err != nil {
		return imported{}, fmt.Errorf("import: %w", err)
	}
	if more, _ := f.Read(make([]byte, 1)); more > 0 {
		return imported{}, fmt.Errorf("import: %s is longer than %d MiB", path, maxLog>>20)
	}
	file := record.ImportedFile{Arm: arm, File: path, SHA256: hex.EncodeToString(sum.Sum(nil))}
	return imported{file, lines, threads}, nil
}

func writeImport(dir, baseline string, margin float64, logs []imported) error {
	i := record.Import{Format: "sysbench", Baseline: baseline, Margin: margin}
	if i.Baseline == "" {
		i.Baseline = logs[0].Arm
	}
	known := false
	repeat := map[string]int{}
	for n, l := range logs {
		repeat[l.Arm]++
		known = known || l.Arm == i.Baseline
		i.Files = append(i.Files, l.ImportedFile)
		i.Trials = append(i.Trials, experiment.Trial{Number: n + 1, Round: repeat[l.Arm], Slot: 1, Arm: l.Arm, Threads: l.threads})
	}
	if !known {
		return usage{fmt.Errorf("import: unknown arm %q in --baseline", i.Baseline)}
	}
	if err := record.CreateImport(dir, i); err != nil {
		return usage{err}
	}
	for n, l := range logs {
		if err := writeTrial(dir, i.Trials[n], l.lines); err != nil {
			return err
		}
	}
	return nil
}

func writeTrial(dir string, t experiment.Trial, lines []record.Line) error {
	s, err := record.CreateStream(record.TrialDir(dir, t), record.Header{
		Trial: t.Number, Round: t.Round, Slot: t.Slot, Arm: t.Arm, Threads: t.Threads,
		Engine: "sysbench", Tare: versionString(),
	})
	if err != nil {
		return err
	}
	for _, l := range lines {
		if err := s.Write(l); err != nil {
			return err
		}
	}
	// The text the lines came from is not kept: it is the user's file, named
	// with its checksum in import.json.
	return s.Close(record.End{Outcome: record.Measured})
}
