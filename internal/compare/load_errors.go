package compare

// This file says which errors the statements of an arm's load had. sysbench counts those that two
// transactions cause for each other, and ends at any other; the built-in engine goes on, and the
// throughput alone does not show that statements failed.

import (
	"maps"
	"math"
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

// rolledBackFrom is the share of transactions that were rolled back for others from which they are a warning: fewer are
// what a load on few rows has anywhere, and at more the arms differ in what their throughput leaves out.
const rolledBackFrom = 0.01

// loadErrors names the arms with failed statements or transactions that were rolled back, and the server's error codes.
// What failed while an event of the experiment took place was asked for: of an arm with events only what failed at
// other times is a warning. warmup is in seconds.
func loadErrors(res *Result, warmup float64) []Reason {
	var w []Reason
	for _, a := range res.Arms {
		var transactions int64
		for _, t := range a.numbers() {
			transactions += t.Window.Counts.Transactions
		}
		say := func(why string, codes map[int]int64, from float64) {
			n := sumOfTimes(codes)
			if all := float64(transactions + n); float64(n) > from*all {
				w = append(w, reason(why).part("arm", armName(a, res)).num("n", float64(n)).num("share", 100*float64(n)/all).name("codes", timesOf(codes)...))
			}
		}
		failed, rolledBack := a.errorCodes()
		if beside, timed := a.besideEvents(warmup); !timed {
			say("load-errors", failed, failedFrom)
		} else if beside = math.Round(beside) - float64(sumOfTimes(rolledBack)); beside > failedFrom*(float64(transactions)+beside) && len(failed) > 0 {
			w = append(w, reason("load-errors-beside").part("arm", armName(a, res)).num("n", beside).num("share", 100*beside/(float64(transactions)+beside)).name("codes", timesOf(failed)...))
		}
		why := "load-rolled-back"
		if rolledBack[1020] > 0 && a.snapshotIsolation() {
			why = "load-rolled-back-snapshot"
		}
		say(why, rolledBack, rolledBackFrom)
	}
	return w
}

// sumOfTimes is how often any of the errors was seen.
func sumOfTimes(codes map[int]int64) (n int64) {
	for _, times := range codes {
		n += times
	}
	return n
}

// timesOf are error codes, each with how often it was seen.
func timesOf(codes map[int]int64) (each []string) {
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		each = append(each, strconv.Itoa(code)+" ("+strconv.FormatInt(codes[code], 10)+")")
	}
	return each
}

// errorCodes are how often the server answered an arm's trials with an error, by its code: with those that transactions
// cause for each other apart.
func (a *Arm) errorCodes() (failed, rolledBack map[int]int64) {
	failed, rolledBack = map[int]int64{}, map[int]int64{}
	for _, t := range a.numbers() {
		for _, f := range t.Facts {
			code, n, ok := errorFact(f)
			switch {
			case !ok:
			case slices.Contains(betweenTransactions(), code):
				rolledBack[code] += n
			default:
				failed[code] += n
			}
		}
	}
	return failed, rolledBack
}

// snapshotIsolation says that every server of an arm answered innodb_snapshot_isolation=ON, from which MariaDB's error 1020
// comes.
func (a *Arm) snapshotIsolation() bool {
	seen := false
	for _, t := range a.numbers() {
		on := false
		for _, f := range t.Facts {
			on = on || f.Key == keys.MySQLVariablePrefix+"innodb_snapshot_isolation" && f.Value == "ON"
		}
		if !on {
			return false
		}
		seen = true
	}
	return seen
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
