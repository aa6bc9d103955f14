package compare

// This file says which errors the statements of an arm's load had. sysbench counts those that two
// transactions cause for each other, and ends at any other; the built-in engine goes on, and the
// throughput alone does not show that statements failed.

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// failedFrom is the share of failed statements among the transactions from which they are a warning:
// a handful at a failover or a restart is what the run was made for.
const failedFrom = 0.001

// betweenTransactions are the errors that transactions cause for each other, which sysbench ignores
// by default (--mysql-ignore-errors=1213,1020,1205) and which an arm's errors are.
func betweenTransactions() []int { return []int{1213, 1020, 1205} }

// loadErrors names the arms with failed statements, and the server's error codes.
func loadErrors(res *Result) []Reason {
	var w []Reason
	for _, a := range res.Arms {
		codes, n := a.errorCodes()
		var transactions int64
		for _, t := range a.numbers() {
			transactions += t.Window.Counts.Transactions
		}
		if all := float64(transactions + n); float64(n) > failedFrom*all {
			var each []string
			for _, code := range slices.Sorted(maps.Keys(codes)) {
				each = append(each, strconv.Itoa(code)+" ("+strconv.FormatInt(codes[code], 10)+")")
			}
			w = append(w, reason("load-errors").part("arm", armName(a, res)).num("n", float64(n)).num("share", 100*float64(n)/all).name("codes", each...))
		}
	}
	return w
}

// errorCodes are how often the statements of an arm's trials failed, by the server's error code.
func (a *Arm) errorCodes() (codes map[int]int64, all int64) {
	codes = map[int]int64{}
	for _, t := range a.numbers() {
		for _, f := range t.Facts {
			code, n, ok := errorFact(f)
			if ok && !slices.Contains(betweenTransactions(), code) {
				codes[code] += n
				all += n
			}
		}
	}
	return codes, all
}

func errorFact(f record.Fact) (code int, n int64, ok bool) {
	number, ok := strings.CutPrefix(f.Key, keys.LoadErrorsPrefix)
	if !ok {
		return 0, 0, false
	}
	code, bad := strconv.Atoi(number)
	n, worse := strconv.ParseInt(f.Value, 10, 64)
	return code, n, bad == nil && worse == nil
}
