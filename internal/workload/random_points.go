package workload

import (
	"errors"
	"strings"
)

var errOneTable = errors.New("this workload reads one table: --tables must be 1")

// selectRandomPoints: rows by a list of secondary keys, each connection from its
// own part of the keys so that they do not overlap.
func selectRandomPoints(o Options) (*Program, error) {
	if o.Tables != 1 {
		return nil, errOneTable
	}
	s := Statement{
		Name: "random_points",
		SQL:  "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" + strings.Repeat("?, ", o.RandomPoints-1) + "?)",
	}
	for range o.RandomPoints {
		s.Params = append(s.Params, Param{Source: Segment})
	}
	return transaction(false, group{1, []Statement{s}}), nil
}

// selectRandomRanges counts the rows of several short ranges of secondary keys.
func selectRandomRanges(o Options) (*Program, error) {
	if o.Tables != 1 {
		return nil, errOneTable
	}
	s := Statement{
		Name: "random_ranges",
		SQL: "SELECT count(k) FROM sbtest1 WHERE " +
			strings.Repeat("k BETWEEN ? AND ? OR ", o.NumberOfRanges-1) + "k BETWEEN ? AND ?",
	}
	for range o.NumberOfRanges {
		s.Params = append(s.Params, Param{Source: Segment}, Param{Source: LastID, Plus: int32(o.Delta)})
	}
	return transaction(false, group{1, []Statement{s}}), nil
}
