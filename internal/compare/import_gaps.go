package compare

// This file says what the files of an imported run do not have, and what their programs said went wrong.

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// lacking says which figures the files of an imported run do not have.
func lacking(r *record.Run, res *Result) []Reason {
	var w []Reason
	var cut, untimed []string
	note := func(arms *[]string, name string) {
		if !slices.Contains(*arms, name) {
			*arms = append(*arms, name)
		}
	}
	for _, a := range res.Arms {
		unread := 0
		for _, t := range a.numbers() {
			for _, e := range t.Events {
				if e.Name == "unreadable" {
					unread++
				}
			}
			switch {
			case t.Window.Partial && r.Imported.Format == "sysbench":
				note(&cut, a.Name)
			case t.Window.Latency == nil:
				note(&untimed, a.Name)
			}
		}
		if unread > 0 {
			w = append(w, reason("import-unread").part("arm", armName(a, res)).count("n", unread))
		}
		w = append(w, gaveUp(a, res)...)
		w = append(w, unserved(a, res)...)
	}
	if len(cut) > 0 {
		w = append(w, reason("import-cut").name("arms", cut...))
	}
	if len(untimed) > 0 {
		w = append(w, reason("import-untimed").name("arms", untimed...))
	}
	return w
}

// gaveUp says that sysbench ended with an error in logs of an arm, and names the first: the rest of such a run is
// missing, or transactions were left unfinished.
func gaveUp(a Arm, res *Result) []Reason {
	n, first := 0, ""
	for _, t := range a.numbers() {
		for _, e := range t.Events {
			if e.Name == "fatal" {
				n++
				first = cmp.Or(first, e.Detail)
				break
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []Reason{reason("import-fatal").part("arm", armName(a, res)).count("n", n).count("of", len(a.numbers())).name("said", first)}
}

// unservedFrom is the share of an open loop's rate below which an arm did not serve it: arrivals are random, and the
// last of them may not end before the load does.
const unservedFrom = 0.98

// unserved says that an arm served less than the open loop of its logs asked for.
func unserved(a Arm, res *Result) []Reason {
	rates := factsNamed(&a, keys.LoadRate)
	if len(rates) != 1 {
		return nil
	}
	rate, err := strconv.ParseFloat(rates[0], 64)
	if err != nil {
		return nil
	}
	for _, t := range a.numbers() {
		if done := t.Window.Throughput(); done < unservedFrom*rate {
			return []Reason{reason("import-behind").part("arm", armName(a, res)).name("rate", rates[0]).num("done", done)}
		}
	}
	return nil
}
