package benchlog

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// What tpcc_start of tpcc-mysql prints (src/main.c of its sources): its parameters, and for each of
// the five kinds the transactions that were in time (sc), late (lt), repeated (rt) and failed (fl), and
// their mean latency, which releases before 2014 do not have. The same follows as <Raw Results2>.
var (
	tpccConnections = regexp.MustCompile(`\[connection\]: (\d+)`)
	tpccWarehouses  = regexp.MustCompile(`\[warehouse\]: (\d+)`)
	tpccKind        = regexp.MustCompile(`\[([0-4])\] +sc: *(\d+) +lt: *(\d+) +rt: *(\d+) +fl: *(\d+)(?: +avg_rt: *([\d.]+|-?nan))?`)
	tpccSeconds     = regexp.MustCompile(`(?m)^ *in (\d+) sec\.`)
)

func isTPCCMySQL(head string) bool {
	return strings.Contains(head, "###easy### TPC-C Load Generator") || strings.Contains(head, "<Raw Results>") && strings.Contains(head, "sc:")
}

// readTPCCMySQL gives the transactions of all kinds, late ones too: late is a limit of TPC-C, and the
// server did the work. The lines of ten seconds count new orders alone and are left out, and so are
// their percentiles.
func readTPCCMySQL(_ string, in io.Reader) (Result, error) {
	text, err := readText(in)
	if err != nil {
		return Result{}, err
	}
	raw, _, _ := strings.Cut(text, "<Raw Results2")
	kinds, seconds := tpccKind.FindAllStringSubmatch(raw, -1), tpccSeconds.FindAllStringSubmatch(text, -1)
	switch {
	case len(kinds) > 5 || len(seconds) > 1:
		return Result{}, ErrSeveral
	case len(kinds) < 5 || len(seconds) == 0:
		return Result{}, fmt.Errorf("%w: the part <Raw Results> of tpcc_start is missing or was cut off", ErrNoResult)
	}
	w, err := tpccWindow(kinds)
	if err != nil {
		return Result{}, err
	}
	if w.Seconds, err = number(seconds[0][1]); err != nil {
		return Result{}, err
	}
	if w.Counts.Transactions == 0 || w.Seconds == 0 {
		return Result{}, fmt.Errorf("%w: tpcc_start completed nothing", ErrNoResult)
	}
	r := Result{Unit: Transactions}
	if m := tpccWarehouses.FindStringSubmatch(text); m != nil {
		r.Lines = append(r.Lines, test("tpcc-mysql", "TPC-C, "+m[1]+" warehouses"))
	}
	r.Lines = append(r.Lines, record.Line{Window: w})
	if m := tpccConnections.FindStringSubmatch(text); m != nil {
		if r.Threads, err = strconv.Atoi(m[1]); err != nil {
			return Result{}, fmt.Errorf("read the number of connections: %w", err)
		}
	}
	return r, nil
}

// tpccWindow adds up the kinds. A mean of no transactions is printed as nan.
func tpccWindow(kinds [][]string) (*record.Window, error) {
	w := &record.Window{}
	sum, timed := 0.0, true
	for _, m := range kinds {
		v, err := numbers(m[2:6]...)
		if err != nil {
			return nil, err
		}
		done := v[0] + v[1]
		w.Counts.Transactions += int64(done)
		w.Counts.Errors += int64(v[2] + v[3])
		if done == 0 {
			continue
		}
		if m[6] == "" || strings.HasSuffix(m[6], "nan") {
			timed = false
			continue
		}
		mean, err := number(m[6])
		if err != nil {
			return nil, err
		}
		sum += done * mean
	}
	if n := w.Counts.Transactions; timed && n > 0 {
		w.Latency = &record.Latency{Mean: sum / float64(n), Sum: sum}
	}
	return w, nil
}
