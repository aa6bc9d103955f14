package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/benchlog"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/logtext"
	"github.com/tarebench/tare/internal/record"
)

func importVerb(t *terminal) *cobra.Command {
	var out, baseline, margin string
	c := &cobra.Command{
		Use:   "import [FORMAT] --out DIR ARM=FILE...",
		Short: "Read the logs of other benchmark programs into a run directory",
		Long: "Read logs and results of other benchmark programs into a run directory, so that they can be compared and\n" +
			"reported like a run. Several files of one arm are its trials. The first arm is the baseline unless --baseline\n" +
			"names another. FILE may be -, which is standard input. Without FORMAT, the program is recognised by what it\n" +
			"printed. How long each file measured and which percentiles it has is printed with the arms. The formats are:\n\n" + importFormats(),
		Example: "  tare import --out runs/2019 bare=bare.log pod=pod.log\n  tare import hammerdb --out runs/tpcc bare=bare.txt pod=pod.txt\n  tare report runs/2019",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, a []string) error {
			format, files, err := importArguments(a)
			if err != nil {
				return usage{err}
			}
			if out == "" {
				return usage{fmt.Errorf("import: no run directory; add --out DIR")}
			}
			var m experiment.Percent
			if err := m.UnmarshalText([]byte(margin)); err != nil {
				return usage{fmt.Errorf("--margin: %w", err)}
			}
			logs, err := readLogs(format, files, t.in)
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

// importFormats are the formats as a list, one a line.
func importFormats() string {
	var b strings.Builder
	for _, f := range benchlog.Formats() {
		fmt.Fprintf(&b, "  %-11s %s\n", f.Name, f.Help)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// importArguments are the format, "" where none is named, and the files.
func importArguments(a []string) (format string, files []string, err error) {
	if !strings.Contains(a[0], "=") {
		format, a = a[0], a[1:]
		if !slices.Contains(benchlog.Names(), format) {
			return "", nil, fmt.Errorf("unknown format %q; use ARM=FILE, or one of %s before it", format, strings.Join(benchlog.Names(), ", "))
		}
	}
	if len(a) == 0 {
		return "", nil, fmt.Errorf("import: no files; add ARM=FILE")
	}
	return format, a, nil
}

// imported is one file, read.
type imported struct {
	record.ImportedFile
	benchlog.Result
}

// readLogs reads all files before anything is written, so that a bad one leaves
// nothing behind.
func readLogs(format string, args []string, stdin io.Reader) ([]imported, error) {
	var logs []imported
	var wrong []string
	piped := 0
	for _, arg := range args {
		if strings.HasSuffix(arg, "=-") {
			piped++
		}
		l, err := readLog(format, arg, stdin)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		logs = append(logs, l)
	}
	if piped > 1 {
		return nil, fmt.Errorf("import: standard input (-) is named %d times; it can be one file", piped)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return logs, sameKind(logs)
}

// sameKind refuses files whose figures count different things: nothing of them could be compared.
func sameKind(logs []imported) error {
	first := logs[0]
	for _, l := range logs[1:] {
		if l.Format != first.Format || l.Unit != first.Unit {
			return fmt.Errorf("import: %s has %s of %s, and %s has %s of %s: the files of one import have one format and one unit",
				first.File, first.Unit, first.Format, l.File, l.Unit, l.Format)
		}
	}
	return nil
}

// maxLog is how much of a log is read, in bytes: a day of one-second reports has 10 MB.
const maxLog = 256 << 20

func readLog(format, arg string, stdin io.Reader) (imported, error) {
	arm, path, ok := strings.Cut(arg, "=")
	if !ok || !experiment.ValidName(arm) {
		return imported{}, fmt.Errorf("import: %q: use ARM=FILE, with lower-case letters, digits and dashes in ARM", arg)
	}
	name := logtext.Name(path)
	file, err := logtext.Open(path, stdin)
	if err != nil {
		return imported{}, fmt.Errorf("import: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	text, err := logtext.Decode(io.TeeReader(file, sum))
	if err != nil {
		return imported{}, fmt.Errorf("import: %s: %w", name, err)
	}
	in := bufio.NewReader(io.LimitReader(text, maxLog))
	if start, _ := in.Peek(4096); bytes.IndexByte(start, 0) >= 0 {
		return imported{}, fmt.Errorf("import: %s is not the log of a benchmark: it is not text", name)
	}
	res, err := benchlog.Read(name, format, in)
	if err != nil {
		return imported{}, fmt.Errorf("import: %w", err)
	}
	if more, _ := text.Read(make([]byte, 1)); more > 0 {
		return imported{}, fmt.Errorf("import: %s is longer than %d MiB", name, maxLog>>20)
	}
	return imported{record.ImportedFile{Arm: arm, File: name, SHA256: hex.EncodeToString(sum.Sum(nil))}, res}, nil
}

func writeImport(dir, baseline string, margin float64, logs []imported) error {
	i := record.Import{Format: logs[0].Format, Unit: logs[0].Unit, Baseline: baseline, Margin: margin}
	if i.Baseline == "" {
		i.Baseline = logs[0].Arm
	}
	known := false
	repeat := map[string]int{}
	for n, l := range logs {
		repeat[l.Arm]++
		known = known || l.Arm == i.Baseline
		i.Files = append(i.Files, l.ImportedFile)
		i.Trials = append(i.Trials, experiment.Trial{Number: n + 1, Round: repeat[l.Arm], Slot: 1, Arm: l.Arm, Threads: l.Threads})
	}
	if !known {
		return usage{fmt.Errorf("import: unknown arm %q in --baseline", i.Baseline)}
	}
	if err := record.CreateImport(dir, i); err != nil {
		return usage{err}
	}
	for n, l := range logs {
		if err := writeTrial(dir, i.Format, i.Trials[n], l.Lines); err != nil {
			return err
		}
	}
	return nil
}

func writeTrial(dir, format string, t experiment.Trial, lines []record.Line) error {
	s, err := record.CreateStream(record.TrialDir(dir, t), record.Header{
		Trial: t.Number, Round: t.Round, Slot: t.Slot, Arm: t.Arm, Threads: t.Threads,
		Engine: format, Tare: versionString(),
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
