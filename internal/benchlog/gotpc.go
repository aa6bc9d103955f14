package benchlog

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// The summary of go-tpc (pkg/measurement and tpcc/workload.go of its sources): a line for each kind
// of transaction, failed ones with _ERR, and the totals.
var (
	goTPCKind = regexp.MustCompile(`\[Summary\] ([A-Z][A-Z0-9_]*) - Takes\(s\): ([\d.]+), Count: (\d+), TPM: ([\d.]+), Sum\(ms\): ([\d.]+), Avg\(ms\): [\d.]+,.* Max\(ms\): ([\d.]+)`)
	goTPCAll  = regexp.MustCompile(`tpmC: ([\d.]+), tpmTotal: ([\d.]+)`)
)

// goTPCKinds are the transactions of TPC-C as go-tpc names them.
func goTPCKinds() []string {
	return []string{"NEW_ORDER", "PAYMENT", "ORDER_STATUS", "DELIVERY", "STOCK_LEVEL"}
}

func isGoTPC(head string) bool {
	return strings.Contains(head, "[Summary] ") && strings.Contains(head, "Takes(s): ") || strings.Contains(head, "[Current] ") && strings.Contains(head, "Takes(s): ") || goTPCAll.MatchString(head)
}

// readGoTPC gives the transactions of all kinds that succeeded. Percentiles are unknown: go-tpc
// prints those of each kind, from which those of all cannot be computed.
func readGoTPC(_ string, in io.Reader) (Result, error) {
	text, err := readText(in)
	if err != nil {
		return Result{}, err
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
	case len(totals) == 0 && s.kinds < len(goTPCKinds()):
		return Result{}, fmt.Errorf("%w: go-tpc's summary is missing or was cut off", ErrNoResult)
	}
	perSecond := s.count / s.seconds
	if len(totals) == 1 {
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
	return Result{Unit: Transactions, Lines: []record.Line{line}}, nil
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
	v, err := numbers(m[2], m[3], m[5], m[6])
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
