package benchlog

import (
	"fmt"
	"io"
	"regexp"

	"github.com/tarebench/tare/internal/record"
)

// What mysqlslap and mariadb-slap print at their end (client/mysqlslap.c, print_conclusions).
var (
	slapMean    = regexp.MustCompile(`Average number of seconds to run all queries: ([\d.]+) seconds`)
	slapClients = regexp.MustCompile(`Number of clients running queries: (\d+)`)
	slapQueries = regexp.MustCompile(`Average number of queries per client: (\d+)`)
)

func isMysqlslap(head string) bool { return slapMean.MatchString(head) }

// readMysqlslap gives queries per second: those of all clients over the mean time of an iteration,
// which is all queries over the time of all iterations. The time has the connections' opening in it.
func readMysqlslap(_ string, in io.Reader) (Result, error) {
	text, err := readText(in)
	if err != nil {
		return Result{}, err
	}
	var v [3]float64
	for i, line := range []*regexp.Regexp{slapMean, slapClients, slapQueries} {
		all := line.FindAllStringSubmatch(text, -1)
		switch {
		case len(all) == 0:
			return Result{}, fmt.Errorf("%w: mysqlslap's conclusion was cut off", ErrNoResult)
		case len(all) > 1:
			return Result{}, ErrSeveral
		}
		if v[i], err = number(all[0][1]); err != nil {
			return Result{}, err
		}
	}
	if v[0] == 0 || v[1]*v[2] == 0 {
		return Result{}, fmt.Errorf("%w: %s queries in %s s", ErrNoResult, fmt.Sprint(v[1]*v[2]), fmt.Sprint(v[0]))
	}
	perSecond := v[1] * v[2] / v[0]
	return Result{Unit: Queries, Threads: int(v[1]), Lines: []record.Line{rate(perSecond, perSecond, v[0], nil)}}, nil
}
