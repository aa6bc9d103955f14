package benchlog

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// What mysqlslap and mariadb-slap print at their end (client/mysqlslap.c, print_conclusions).
var (
	slapMean    = regexp.MustCompile(`Average number of seconds to run all queries: ([\d.]+) seconds`)
	slapClients = regexp.MustCompile(`Number of clients running queries: (\d+)`)
	slapQueries = regexp.MustCompile(`Average number of queries per client: (\d+)`)
)

// slapCSV is a line of --csv: engine, load, the mean, the least and the largest time of an iteration,
// clients, and queries of a client (print_conclusions_csv). The engine is empty where none was named.
var slapCSV = regexp.MustCompile(`(?m)^(\w*),(mixed|write|read|key|update|query),(\d+\.\d{3}),\d+\.\d{3},\d+\.\d{3},(\d+),(\d+)\r?$`)

func isMysqlslap(head string) bool { return slapMean.MatchString(head) || slapCSV.MatchString(head) }

// leastSlap is the shortest mean time of an iteration, in seconds, that is read: mysqlslap cuts it off after
// the third decimal, which is 1 % of it.
const leastSlap = 0.1

// readMysqlslap gives queries per second: those of all clients over the mean time of an iteration,
// which is all queries over the time of all iterations. The time has the connections' opening in it.
func readMysqlslap(_ string, in io.Reader) (Result, error) {
	text, err := readText(in)
	if err != nil {
		return Result{}, err
	}
	printed, load, err := slapFigures(text)
	if err != nil {
		return Result{}, err
	}
	v, err := numbers(printed...)
	if err != nil {
		return Result{}, err
	}
	switch {
	case v[1]*v[2] == 0:
		return Result{}, fmt.Errorf("%w: mysqlslap sent nothing", ErrNoResult)
	case v[0] < leastSlap:
		return Result{}, fmt.Errorf("%w: mysqlslap prints the time of an iteration, %s s, in steps of 0.001 s: send more queries, until it takes %g s", ErrMeaning, printed[0], leastSlap)
	}
	perSecond := v[1] * v[2] / v[0]
	r := Result{Unit: Queries, Threads: int(v[1])}
	if load != "" {
		r.Lines = append(r.Lines, test("mysqlslap", load))
	}
	r.Lines = append(r.Lines, rate(perSecond, perSecond, v[0], nil))
	return r, nil
}

// slapFigures are the mean time, the clients and the queries of a client, and the load that CSV names.
func slapFigures(text string) (printed []string, load string, err error) {
	for _, line := range []*regexp.Regexp{slapMean, slapClients, slapQueries} {
		all := line.FindAllStringSubmatch(text, -1)
		if len(all) > 1 {
			return nil, "", ErrSeveral
		}
		if len(all) == 1 {
			printed = append(printed, all[0][1])
		}
	}
	rows := slapCSV.FindAllStringSubmatch(text, -1)
	switch {
	case len(rows) > 1 || len(rows) == 1 && len(printed) > 0:
		return nil, "", ErrSeveral
	case len(rows) == 1:
		return rows[0][3:6], strings.Trim(rows[0][2]+" load, "+rows[0][1], ", "), nil
	case len(printed) < 3:
		return nil, "", fmt.Errorf("%w: mysqlslap's conclusion was cut off", ErrNoResult)
	}
	return printed, "", nil
}
