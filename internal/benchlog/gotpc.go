package benchlog

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// The summary of go-tpc (pkg/measurement, pkg/util/output.go and tpcc/workload.go of its sources): a line
// for each kind of transaction, failed ones with _ERR, and the totals. Releases before 2020 print neither
// the largest latency nor tpmTotal.
var (
	goTPCKind = regexp.MustCompile(`\[Summary\] ([A-Z][A-Z0-9_]*) - Takes\(s\): ([\d.]+), Count: (\d+), TPM: ([\d.]+), Sum\(ms\): ([\d.]+), Avg\(ms\): [\d.]+(?:,.*? Max\(ms\): ([\d.]+))?`)
	goTPCAll  = regexp.MustCompile(`tpmC: ([\d.]+)(?:, tpmTotal: ([\d.]+), efficiency: ([\d.]+)%)?`)
	// go-tpc ch prints how many of its workers send analytical queries, and the queries.
	goTPCAnalytical = regexp.MustCompile(`Finished: \d+ OLTP workers, [1-9]\d* OLAP workers|\[Summary\] Q\d+ +- Count: `)
	// tpcc --wait prints the mean of the times that its terminals wait.
	goTPCWaits = regexp.MustCompile(`\[Summary\] (?:KEYING|THINKING)TIME-`)
)

// goTPCKinds are the transactions of TPC-C as go-tpc names them.
func goTPCKinds() []string {
	return []string{"NEW_ORDER", "PAYMENT", "ORDER_STATUS", "DELIVERY", "STOCK_LEVEL"}
}

func isGoTPC(head string) bool {
	prefixed := strings.Contains(head, "[Summary] ") || strings.Contains(head, "[Current] ")
	return prefixed && (strings.Contains(head, "Takes(s): ") || isGoTPCTable(head)) || goTPCAll.MatchString(head)
}

// readGoTPC gives the transactions of all kinds that succeeded. Percentiles are unknown: go-tpc
// prints those of each kind, from which those of all cannot be computed.
func readGoTPC(_ string, in io.Reader) (Result, error) {
	text, err := readText(in)
	if err != nil {
		return Result{}, err
	}
	text = goTPCPlain(text)
	if goTPCAnalytical.MatchString(text) {
		return Result{}, fmt.Errorf("%w: go-tpc ch sends analytical queries beside the transactions", ErrMeaning)
	}
	s := goTPCSummary{}
	for _, m := range goTPCKind.FindAllStringSubmatch(text, -1) {
		if err := s.add(m); err != nil {
			return Result{}, err
		}
	}
	totals := goTPCAll.FindAllStringSubmatch(text, -1)
	switch {
	case s.other != "":
		return Result{}, fmt.Errorf("%w: go-tpc's %s is no transaction of TPC-C", ErrMeaning, s.other)
	case len(totals) > 1 || s.twice:
		return Result{}, ErrSeveral
	case len(totals) == 0 && s.kinds < len(goTPCKinds()), s.kinds == 0:
		return Result{}, fmt.Errorf("%w: go-tpc's summary is missing or was cut off", ErrNoResult)
	}
	perSecond := s.count / s.seconds
	if len(totals) == 1 && totals[0][2] != "" {
		tpm, err := number(totals[0][2])
		if err != nil {
			return Result{}, err
		}
		perSecond = tpm / 60
	}
	if !(perSecond > 0) || math.IsInf(perSecond, 0) {
		return Result{}, fmt.Errorf("%w: go-tpc completed nothing", ErrNoResult)
	}
	line := rate(perSecond, perSecond, s.seconds, s.latency(perSecond))
	line.Window.Counts.Errors = int64(s.errors)
	r := Result{Unit: Transactions}
	if said := goTPCTest(text, totals); said != "" {
		r.Lines = append(r.Lines, test("go-tpc", said))
	}
	r.Lines = append(r.Lines, line)
	return r, nil
}

// goTPCTest says what the terminals did: over how many warehouses, and whether they waited; "" where the
// number of warehouses is not known. It follows from the efficiency, of which 100 % are 12.86 new orders a
// minute in each warehouse.
func goTPCTest(text string, totals [][]string) string {
	if len(totals) == 0 || totals[0][3] == "" {
		return ""
	}
	v, err := numbers(totals[0][1], totals[0][3])
	if err != nil || v[1] == 0 {
		return ""
	}
	// Both figures were rounded to one decimal.
	warehouses, off := v[0]/(0.1286*v[1]), 0.05/v[0]+0.05/v[1]
	if warehouses < 0.5 || warehouses*off > 0.3 || math.Abs(warehouses-math.Round(warehouses)) > 0.4 {
		return ""
	}
	said := fmt.Sprintf("TPC-C, %.0f warehouses", warehouses)
	if goTPCWaits.MatchString(text) {
		said += ", with keying and thinking times"
	}
	return said
}

// goTPCSummary adds up the kinds.
type goTPCSummary struct {
	seen                     map[string]bool
	kinds                    int
	count, errors, sum, most float64
	seconds                  float64 // of the kind that was measured longest
	other                    string  // a kind that TPC-C has not
	twice                    bool
}

func (s *goTPCSummary) add(m []string) error {
	v, err := numbers(m[2], m[3], m[5], cmp.Or(m[6], "0"))
	if err != nil {
		return err
	}
	kind, failed := strings.CutSuffix(m[1], "_ERR")
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	if !slices.Contains(goTPCKinds(), kind) {
		s.other = m[1]
	}
	s.twice = s.twice || s.seen[m[1]]
	s.seen[m[1]] = true
	if failed {
		s.errors += v[1]
		return nil
	}
	s.kinds++
	s.seconds = max(s.seconds, v[0])
	s.count += v[1]
	s.sum += v[2]
	s.most = max(s.most, v[3])
	return nil
}

// latency is the mean of all kinds, where the lines of the kinds are those of all transactions.
func (s *goTPCSummary) latency(perSecond float64) *record.Latency {
	if s.count == 0 || s.seconds == 0 || math.Abs(s.count/s.seconds/perSecond-1) > 0.02 {
		return nil
	}
	return &record.Latency{Mean: s.sum / s.count, Max: s.most, Sum: s.sum}
}
