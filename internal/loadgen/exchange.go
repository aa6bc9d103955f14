package loadgen

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
)

// This file measures requests and responses of the sizes that the load had: one at a time,
// as netperf's TCP_RR does. A transfer, which is what iperf3 measures, does not show a path
// with full bandwidth on which every small packet takes long.

// Path measures the network path before and after one load.
type Path struct {
	job    Job
	before traffic
	err    error // why before is not known
}

// NewPath is the path of a job's load.
func NewPath(j Job) *Path {
	return &Path{job: j, err: errors.New("the server's counters were not read before the load")}
}

// Facts are the properties of the path and, after the load, how many requests of its mean size are
// answered in a second with responses of its mean size.
func (p *Path) Facts(ctx context.Context, phase string) []record.Fact {
	lost := silence{}
	if phase == "start" {
		facts := lost.facts(ctx, p.job, phase, pathProperties())
		p.before, p.err = p.traffic(ctx) // after all other statements of the measurement
		return facts
	}
	sizes, err := p.sizes(ctx)
	facts := append(lost.facts(ctx, p.job, phase, pathProperties()), p.exchangeFacts(ctx, phase, sizes, err)...)
	facts = append(facts, lost.facts(ctx, p.job, phase, streamProperties())...)
	return append(facts, lost.connectionFacts(ctx, p.job, phase)...)
}

// traffic is what a server has counted of its clients.
type traffic struct{ received, sent, statements float64 }

func (p *Path) traffic(ctx context.Context) (t traffic, err error) {
	ctx, cancel := context.WithTimeout(ctx, pathTimeout)
	defer cancel()
	_, err = onSession(ctx, p.job, func(s *wire.Session) (float64, error) {
		rows, err := s.Query(ctx, "SHOW GLOBAL STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent', 'Questions')")
		for _, row := range rows {
			v, e := strconv.ParseFloat(row[1], 64)
			err = errors.Join(err, e)
			switch row[0] {
			case "Bytes_received":
				t.received = v
			case "Bytes_sent":
				t.sent = v
			case "Questions":
				t.statements = v
			}
		}
		return 0, err
	})
	return t, err
}

// exchangeSizes are bytes of a request and of its response, with the protocol's own.
type exchangeSizes struct{ request, response int }

// sizes are the means over all statements since the first look.
func (p *Path) sizes(ctx context.Context) (exchangeSizes, error) {
	if p.err != nil {
		return exchangeSizes{}, p.err
	}
	now, err := p.traffic(ctx)
	if err != nil {
		return exchangeSizes{}, err
	}
	n := now.statements - p.before.statements
	if n < 1 {
		return exchangeSizes{}, errors.New("the server counted no statement of the load")
	}
	return exchangeSizes{int((now.received-p.before.received)/n + 0.5), int((now.sent-p.before.sent)/n + 0.5)}, nil
}

// How many exchanges are made, and for how long at most.
const (
	exchanges      = 1000
	exchangeWithin = 250 * time.Millisecond
)

func (p *Path) exchangeFacts(ctx context.Context, phase string, s exchangeSizes, err error) []record.Fact {
	rate := record.Fact{Key: keys.ClientRequestResponsePerS, Phase: phase}
	if err == nil {
		rate.Source = fmt.Sprintf("selects on an idle server, one at a time: requests of %d bytes, responses of %d bytes, up to %d in %v", s.request, s.response, exchanges, exchangeWithin)
		ctx, cancel := context.WithTimeout(ctx, pathTimeout)
		defer cancel()
		var v float64
		v, err = onSession(ctx, p.job, func(session *wire.Session) (float64, error) { return exchangeRate(ctx, session, s) })
		rate.Value = strconv.FormatFloat(v, 'f', 1, 64)
	}
	if err != nil {
		rate.Value, rate.Unknown = "", err.Error()
		return []record.Fact{rate}
	}
	const source = "SHOW GLOBAL STATUS before and after the load: bytes for each of Questions"
	return []record.Fact{
		{Key: keys.ClientRequestBytes, Value: strconv.Itoa(s.request), Source: source, Phase: phase},
		{Key: keys.ClientResponseBytes, Value: strconv.Itoa(s.response), Source: source, Phase: phase}, rate,
	}
}

// exchangeRate is how many are done in a second.
func exchangeRate(ctx context.Context, session *wire.Session, s exchangeSizes) (float64, error) {
	statement := exchange(s)
	if err := session.Exec(ctx, statement); err != nil { // the first one is slower
		return 0, err
	}
	began, n := time.Now(), 0
	for n < exchanges && time.Since(began) < exchangeWithin {
		if err := session.Exec(ctx, statement); err != nil {
			return 0, err
		}
		n++
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

// What the protocol adds: to a statement the packet's header and the command; to a value
// the packets of a column's number, its definition, the row's own length and the end (MySQL
// Internals, "Text Resultset"), for a column without table and with a short name.
const (
	requestOverhead  = 5
	responseOverhead = 46
)

// exchange is a statement of the size of a request whose answer has the size of a response;
// the least are those of a select of one letter.
func exchange(s exchangeSizes) string {
	statement := fmt.Sprintf("SELECT REPEAT('x',%d) AS x", max(1, s.response-responseOverhead))
	if missing := s.request - requestOverhead - len(statement) - len("/**/"); missing >= 0 {
		statement += "/*" + strings.Repeat("x", missing) + "*/"
	}
	return statement
}
