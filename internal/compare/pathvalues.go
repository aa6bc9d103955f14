package compare

// This file reads the properties of the network that were measured in an arm's trials, and
// estimates from them how long a transaction waits for the network.

import (
	"fmt"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// NetworkPath is what an arm's trials measured of the network, each the mean of the trials.
type NetworkPath struct {
	// Bandwidth is in bytes per second: several streams where they were measured in all
	// arms, else one. Exchanges is requests and responses per second.
	Bandwidth, Exchanges float64
	// RoundTrips are the client's statements of a transaction, ReplicationRoundTrips the
	// round trips between members that its commit waits for.
	RoundTrips, ReplicationRoundTrips float64
	// ReplicationExchanges is requests and responses per second to the member that a commit
	// waits for; 0 where it waits for none.
	ReplicationExchanges float64
	// Bytes of a transaction, both directions, replication included where the probes
	// read the server's interfaces.
	Bytes float64
}

// Time is how long a transaction waits for the network, in seconds: its round trips by
// their latency, which contains the server's answer to a trivial statement, and its bytes
// by the bandwidth.
func (p NetworkPath) Time() float64 {
	t := p.RoundTrips/p.Exchanges + p.Bytes/p.Bandwidth
	if p.ReplicationRoundTrips > 0 {
		t += p.ReplicationRoundTrips / p.ReplicationExchanges
	}
	return t
}

// networkPath is false where bandwidth or exchanges were not measured.
func (a *Arm) networkPath(bandwidth string) (p NetworkPath, ok bool) {
	var known bool
	if p.Bandwidth, ok = a.pathMean(bandwidth); !ok || p.Bandwidth <= 0 {
		return p, false
	}
	if p.Exchanges, ok = a.pathMean(keys.ClientRequestResponsePerS); !ok || p.Exchanges <= 0 {
		return p, false
	}
	p.RoundTrips = a.statements()
	p.ReplicationRoundTrips, p.ReplicationExchanges, known = a.replicationWait()
	if !known {
		return p, false
	}
	p.Bytes, known = a.bytesOfTransaction(p.RoundTrips)
	return p, known && p.RoundTrips > 0
}

// statements are those of a transaction.
func (a *Arm) statements() float64 {
	var done, sent float64
	for _, t := range a.firsts() {
		c := t.Window.Counts
		done += float64(c.Transactions)
		sent += float64(c.Reads + c.Writes + c.Other)
	}
	return sent / done
}

// replicationWait is one round trip to the member that completes the number that a commit
// waits for (docs/replication.md); ok is false where that was not measured.
func (a *Arm) replicationWait() (roundTrips, exchanges float64, ok bool) {
	mode := a.startValue(keys.ReplicationMode)
	if mode == "" || mode == "async" {
		return 0, 0, true
	}
	var rates []float64
	for number := 2; ; number++ {
		v, ok := a.pathMean(fmt.Sprintf(keys.ReplicationMemberPrefix+"%d.request_response_per_s", number))
		if !ok || v <= 0 {
			break
		}
		rates = append(rates, v)
	}
	if len(rates) == 0 {
		return 0, 0, false
	}
	// The fastest for semisync; with the source, the majority of a group; all for Galera.
	answers := 1
	switch mode {
	case "group":
		answers = (len(rates) + 1) / 2
	case "galera":
		answers = len(rates)
	}
	share := 0.0
	if len(rates) > 1 {
		share = float64(answers-1) / float64(len(rates)-1)
	}
	return 1, stats.Quantile(rates, 1-share), true
}

// bytesOfTransaction are what the server's interfaces carried; without probes of them,
// what its clients and its binary log did.
func (a *Arm) bytesOfTransaction(statements float64) (float64, bool) {
	sent, received := a.linkBytes()
	if len(sent) > 0 && len(received) > 0 {
		return stats.Mean(valuesOf(sent)) + stats.Mean(valuesOf(received)), true
	}
	request, ok := a.pathMean(keys.ClientRequestBytes)
	response, also := a.pathMean(keys.ClientResponseBytes)
	if !ok || !also {
		return 0, false
	}
	bytes := statements * (request + response)
	if replicated, ok := a.pathMean(keys.ReplicationTransactionBytes); ok {
		if members, err := strconv.Atoi(a.startValue(keys.ReplicationMembers)); err == nil {
			bytes += replicated * float64(members-1)
		}
	}
	return bytes, true
}

// linkBytes are bytes of a transaction by round that left and entered the server's network
// namespace; what its loopback interface carried is in neither.
func (a *Arm) linkBytes() (sent, received map[int]float64) {
	s, ok := a.Counter(keys.NetworkSentBytes)
	r, also := a.Counter(keys.NetworkReceivedBytes)
	if !ok || !also {
		return nil, nil
	}
	lo, _ := a.Counter(keys.NetworkLoopbackBytes)
	less := func(from map[int]float64) map[int]float64 {
		out := map[int]float64{}
		for round, v := range from {
			out[round] = v - lo.rounds[round]
		}
		return out
	}
	return less(s.rounds), less(r.rounds)
}

func valuesOf(byRound map[int]float64) []float64 {
	out := make([]float64, 0, len(byRound))
	for _, round := range sortedRounds(byRound) {
		out = append(out, byRound[round])
	}
	return out
}

// startValue is a setting that was read before the load; "" where no trial has it.
func (a *Arm) startValue(key string) string {
	for _, t := range a.Trials {
		if f, ok := startFact(t, key); ok {
			return f.Value
		}
	}
	return ""
}

func startFact(t *record.Trial, key string) (record.Fact, bool) {
	for _, f := range t.Facts {
		if f.Key == key && f.Phase != "end" && f.Unknown == "" {
			return f, true
		}
	}
	return record.Fact{}, false
}
