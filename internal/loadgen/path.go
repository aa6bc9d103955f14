package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
)

// This file measures the network path to an idle server, before and after the load: what ping
// and iperf3 would say, but by the server's own protocol, port and path, so that
// nothing is to be installed or let through beside it.

// How often each is done: few enough to take milliseconds.
const (
	roundTrips = 200
	larges     = 5
	connects   = 50 // below max_connect_errors: they end without a login
	sessions   = 10
	bulks      = 2
)

// largeAnswer is more than any packet holds, bulkAnswer what a transfer takes of the
// buffers on the path many times over; both are below max_allowed_packet.
const (
	largeAnswer = 64 << 10
	bulkAnswer  = 4 << 20
)

// pathTimeout bounds each part: on a path that loses large packets the answer never
// comes.
const pathTimeout = 10 * time.Second

// pathProperty is one of its properties.
type pathProperty struct {
	key, source string
	// smaller is a property whose packets are no larger: where those were lost, these are, and
	// waiting for them takes pathTimeout. "": none is.
	smaller string
	measure func(ctx context.Context, j Job) (float64, error)
}

func pathProperties() []pathProperty {
	return []pathProperty{
		{keys.ClientRoundTripNS, fmt.Sprintf("COM_PING on an idle server, the shortest of %d", roundTrips), "", pings},
		{keys.ClientLargeRoundTripNS, fmt.Sprintf("a select with an answer of %d KiB, the shortest of %d", largeAnswer>>10, larges), "", largeRoundTrip},
		{keys.ClientConnectNS, fmt.Sprintf("TCP connections or those of a socket, the shortest of %d", connects), "", connections},
		{keys.ClientSessionNS, fmt.Sprintf("sessions, connected and logged in, the shortest of %d", sessions), "", logins},
		{keys.ClientBytesPerS, fmt.Sprintf("a select with an answer of %d MiB, the mean of %d", bulkAnswer>>20, bulks), keys.ClientLargeRoundTripNS, transfer},
	}
}

// silence is which properties of a path had no answer in time.
type silence map[string]bool

// facts are properties of the network path from where the load comes from to the server.
// What could not be measured says why.
func (lost silence) facts(ctx context.Context, j Job, phase string, properties []pathProperty) []record.Fact {
	var facts []record.Fact
	for _, w := range properties {
		f := record.Fact{Key: w.key, Source: w.source, Phase: phase}
		if lost[w.smaller] {
			lost[w.key] = true
			f.Unknown = record.LargerLost.Say(w.smaller, pathTimeout.String())
		} else if v, silent, err := bounded(ctx, j, w); err != nil {
			lost[w.key] = silent
			f.Unknown = err.Error()
		} else {
			f.Value = strconv.FormatFloat(v, 'f', 0, 64)
		}
		facts = append(facts, f)
	}
	return facts
}

// bounded measures a property. silent: there was no answer in time.
func bounded(ctx context.Context, j Job, w pathProperty) (v float64, silent bool, err error) {
	late := fmt.Errorf("no answer within %s", pathTimeout)
	within, cancel := context.WithTimeoutCause(ctx, pathTimeout, late)
	defer cancel()
	v, err = w.measure(within, j)
	if err == nil {
		return v, false, nil
	}
	why := context.Cause(within)
	if why == nil && errors.Is(err, os.ErrDeadlineExceeded) {
		why = late // the connection's deadline is the context's, and may pass a moment before it
	}
	return 0, errors.Is(why, late), errors.Join(why, err)
}

func (j Job) dialer() (*wire.Dialer, error) {
	d, err := wire.NewDialer(j.Server)
	if err != nil {
		return nil, err
	}
	d.Inside = j.inside
	return d, nil
}

// shortest of n durations in nanoseconds. It is the path's own: what the machine does
// beside makes it longer and never shorter, and medians differ by half on a busy one.
func shortest(n int, f func() error) (float64, error) {
	least := time.Duration(math.MaxInt64)
	for range n {
		began := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		least = min(least, time.Since(began))
	}
	return float64(least), nil
}

// onSession calls f with a session of its own.
func onSession(ctx context.Context, j Job, f func(s *wire.Session) (float64, error)) (float64, error) {
	d, err := j.dialer()
	if err != nil {
		return 0, err
	}
	s, err := d.Dial(ctx)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	return f(s)
}

func pings(ctx context.Context, j Job) (float64, error) {
	return onSession(ctx, j, func(s *wire.Session) (float64, error) {
		ping := wire.AppendPing(nil)
		return shortest(roundTrips, func() error { return s.Send(ctx, ping) })
	})
}

func largeRoundTrip(ctx context.Context, j Job) (float64, error) {
	return onSession(ctx, j, func(s *wire.Session) (float64, error) {
		return shortest(larges, func() error { return s.Exec(ctx, answerOf(largeAnswer)) })
	})
}

func answerOf(size int) string { return fmt.Sprintf("SELECT REPEAT('x', %d)", size) }

func connections(ctx context.Context, j Job) (float64, error) {
	network, address := "tcp", net.JoinHostPort(j.Server.Host, strconv.Itoa(j.Server.Port))
	if j.Server.Socket != "" {
		network, address = "unix", j.Server.Socket
	}
	var v float64
	err := j.inside(func() (err error) {
		v, err = shortest(connects, func() error {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			if err != nil {
				return err
			}
			return c.Close()
		})
		return err
	})
	return v, err
}

func logins(ctx context.Context, j Job) (float64, error) {
	d, err := j.dialer()
	if err != nil {
		return 0, err
	}
	return shortest(sessions, func() error {
		s, err := d.Dial(ctx)
		if err != nil {
			return err
		}
		s.Close()
		return nil
	})
}

func transfer(ctx context.Context, j Job) (float64, error) {
	return onSession(ctx, j, func(s *wire.Session) (float64, error) {
		began := time.Now()
		for range bulks {
			if err := s.Exec(ctx, answerOf(bulkAnswer)); err != nil {
				return 0, err
			}
		}
		return bulks * bulkAnswer / time.Since(began).Seconds(), nil
	})
}
