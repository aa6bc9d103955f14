// Package benchlog reads the results that other benchmark programs printed, as the lines of a trial.
//
// A format is read only where its figures mean what a report says of them: how much the server
// completed in a time, and how long one of it took. The unit is that of the program; a percentile
// that it does not print stays unknown.
package benchlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
)

// Units of throughput. A run has one.
const (
	Transactions = record.TransactionsPerSecond
	NewOrders    = "new orders/min" // of TPC-C: NOPM, tpmC
	Requests     = "requests/s"
	Queries      = "queries/s"
	Iterations   = "iterations/s"
	Events       = "events/s"
)

// Result is one file, read.
type Result struct {
	Format string // of [Formats]
	Unit   string
	// Threads is the number of connections, 0 where the file does not say.
	Threads int
	Lines   []record.Line
}

// Format is a program whose results are read.
type Format struct {
	Name string // as the command line takes it
	Help string // what is read of the program
	// recognise says whether a file that begins so is one of it.
	recognise func(head string) bool
	read      func(name string, in io.Reader) (Result, error)
}

// Formats are all of them. sysbench comes last: anything may stand around its lines, so a file
// of no other program is tried as its log.
func Formats() []Format {
	return []Format{
		{"benchbase", "BenchBase: summary.json and results.csv", isBenchBase, readBenchBase},
		{"go-tpc", "go-tpc tpcc (also KubeBlocks' tpcc): the log with its summary", isGoTPC, readGoTPC},
		{"hammerdb", "HammerDB TPROC-C: the log or the job's result, as text or JSON", isHammerDB, readHammerDB},
		{"k6", "k6 with xk6-sql: the exported summary (JSON)", isK6, readK6},
		{"mysqlslap", "mysqlslap: what it prints at its end, or --csv", isMysqlslap, readMysqlslap},
		{"tpcc-mysql", "tpcc-mysql: the log of tpcc_start", isTPCCMySQL, readTPCCMySQL},
		{"sysbench", "sysbench 0.4 to 1.1 and sysbench-tpcc: the log, also as CSV or JSON", isSysbench, readSysbench},
	}
}

// Names are the names of all formats.
func Names() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// headSize is how much of a file is looked at to recognise its program, in bytes: logs begin with
// the words of whatever started the program.
const headSize = 1 << 20

// maxText is how much of a file is read that is not sysbench's log, in bytes: such results have
// a few lines for each interval.
const maxText = 64 << 20

var (
	// ErrUnknown is a file of no program that is read.
	ErrUnknown = errors.New("no line of this file was printed by a program whose results are read")
	// ErrOther is a file of another program than the one that was named, or of one that is not read.
	ErrOther = errors.New("the file was printed by another program")
	// ErrNoResult is a file without the figures that the program prints at its end.
	ErrNoResult = errors.New("the file has no result")
	// ErrSeveral is a file with several results.
	ErrSeveral = errors.New("the file has several results: put each into a file of its own")
	// ErrMeaning is a result whose figures are not those of transactions of MySQL or MariaDB.
	ErrMeaning = errors.New("the figures cannot be compared")
)

// Read reads a file, named name in errors, as the format of that name; "" recognises it.
func Read(name, format string, r io.Reader) (Result, error) {
	in := bufio.NewReaderSize(r, headSize)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return Result{}, fmt.Errorf("read %s: %w", name, err)
	}
	f, err := choose(format, string(head))
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", name, err)
	}
	res, err := f.read(name, in)
	if err != nil {
		if errors.Is(err, loadgen.ErrNotSysbench) && format == "" {
			err = fmt.Errorf("%w; the formats are %s", ErrUnknown, strings.Join(Names(), ", "))
		}
		if at := new(loadgen.LogError); errors.As(err, &at) {
			return Result{}, err
		}
		return Result{}, fmt.Errorf("%s: %w", name, err)
	}
	res.Format = f.Name
	return res, nil
}

// choose is the format that was named, if the file may be of it, or the one that is recognised.
func choose(format, head string) (Format, error) {
	found := recognise(head)
	if found.Name == "" || format != "" && format != found.Name && found.Name != "sysbench" {
		return Format{}, fmt.Errorf("%w: %s; the formats are %s", ErrOther, found.Help, strings.Join(Names(), ", "))
	}
	if format == "" {
		return found, nil
	}
	i := slices.IndexFunc(Formats(), func(f Format) bool { return f.Name == format })
	if i < 0 {
		return Format{}, fmt.Errorf("unknown format %q; the formats are %s", format, strings.Join(Names(), ", "))
	}
	return Formats()[i], nil
}

// recognise is the format of a file that begins so. One of a program that is not read has no name.
func recognise(head string) Format {
	all := Formats()
	for _, f := range all {
		if f.recognise(head) {
			return f
		}
	}
	for _, o := range others() {
		if strings.Contains(head, o.words) {
			help := o.program + ", which tare does not read"
			if o.instead != "" {
				help += "; " + o.instead
			}
			return Format{Help: help}
		}
	}
	return all[len(all)-1]
}

// readText is the whole of a file that is not sysbench's log.
func readText(in io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read file: %w", err)
	case len(b) > maxText:
		return "", fmt.Errorf("the file is longer than %d MiB", maxText>>20)
	}
	return string(b), nil
}

// rate is a window of which a program printed only how much it completed in a unit of time, in the
// result's unit; seconds is 0 where the file does not say how long it measured.
func rate(v, perSecond, seconds float64, l *record.Latency) record.Line {
	return record.Line{Window: &record.Window{
		Seconds: seconds, Counts: record.Counts{Transactions: int64(perSecond*seconds + 0.5)}, Partial: true, Rate: v, Latency: l,
	}}
}

// test is the fact of what a program says that it did: arms whose files say different things did other
// work.
func test(program, said string) record.Line {
	return record.Line{Fact: &record.Fact{Key: keys.LoadTest, Value: said, Source: program}}
}
