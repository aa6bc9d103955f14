package loadgen

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
)

// This file measures transfers over several connections and in both directions, after the
// load: a single connection whose window is too small for the path's delay does not fill a
// link, and a path can have different speeds in its two directions.

// streams is how many connections transfer at the same time, as iperf3 -P 4.
const streams = 4

func streamProperties() []pathProperty {
	return []pathProperty{
		{keys.ClientUploadBytesPerS, fmt.Sprintf("a statement of %d MiB, the mean of %d", bulkAnswer>>20, bulks), "", func(ctx context.Context, j Job) (float64, error) {
			return transfers(ctx, j, 1, bulks, upload())
		}},
		{keys.ClientStreamsBytesPerS, fmt.Sprintf("selects with answers of %d MiB over %d connections at the same time, %d each", bulkAnswer>>20, streams, bulks/2), keys.ClientBytesPerS, func(ctx context.Context, j Job) (float64, error) {
			return transfers(ctx, j, streams, bulks/2, answerOf(bulkAnswer))
		}},
		{keys.ClientStreamsUploadBytesPerS, fmt.Sprintf("statements of %d MiB over %d connections at the same time, %d each", bulkAnswer>>20, streams, bulks/2), keys.ClientUploadBytesPerS, func(ctx context.Context, j Job) (float64, error) {
			return transfers(ctx, j, streams, bulks/2, upload())
		}},
	}
}

// upload is a statement of the size of an answer; the server reads it and does nothing.
func upload() string { return "DO 1/*" + strings.Repeat("x", bulkAnswer-len("DO 1/**/")) + "*/" }

// transfers executes a statement of so many connections at the same time, each so many times, and
// is the sum of their bytes per second.
func transfers(ctx context.Context, j Job, connections, times int, statement string) (float64, error) {
	d, err := j.dialer()
	if err != nil {
		return 0, err
	}
	sessions := make([]*wire.Session, connections)
	defer func() {
		for _, s := range sessions {
			if s != nil {
				s.Close()
			}
		}
	}()
	for i := range sessions {
		if sessions[i], err = d.Dial(ctx); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	all, ctx := errgroup.WithContext(ctx)
	for _, s := range sessions {
		all.Go(func() error {
			for range times {
				if err := s.Exec(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return 0, err
	}
	return float64(connections*times*bulkAnswer) / time.Since(began).Seconds(), nil
}

// connectionFacts are what the client's kernel knows of a connection that has transferred
// in both directions; nothing over a Unix socket.
func (lost silence) connectionFacts(ctx context.Context, j Job, phase string) []record.Fact {
	if j.Server.Socket != "" {
		return nil
	}
	for _, transfer := range []string{keys.ClientBytesPerS, keys.ClientUploadBytesPerS} {
		if lost[transfer] {
			return []record.Fact{{Key: keys.ClientPathMTU, Unknown: record.LargerLost.Say(transfer, pathTimeout.String()), Phase: phase}}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, pathTimeout)
	defer cancel()
	var facts []record.Fact
	_, err := onSession(ctx, j, func(s *wire.Session) (float64, error) {
		err := errors.Join(s.Exec(ctx, upload()), s.Exec(ctx, answerOf(bulkAnswer)))
		if err != nil {
			return 0, err
		}
		info, err := s.TCPInfo()
		if err != nil {
			return 0, err
		}
		source := fmt.Sprintf("TCP_INFO of a connection that transferred %d MiB in each direction", bulkAnswer>>20)
		for _, of := range []struct {
			key   string
			value uint64
		}{
			{keys.ClientPathMTU, uint64(info.PathMTU)}, {keys.ClientSegmentBytes, uint64(info.SegmentBytes)},
			{keys.ClientRetransmitted, uint64(info.Retransmitted)}, {keys.ClientKernelRoundTripNS, uint64(info.MinRTT) * 1000},
		} {
			facts = append(facts, record.Fact{Key: of.key, Value: strconv.FormatUint(of.value, 10), Source: source, Phase: phase})
		}
		return 0, nil
	})
	if err != nil {
		return []record.Fact{{Key: keys.ClientPathMTU, Unknown: err.Error(), Phase: phase}}
	}
	return facts
}
