package loadgen

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// roundTrips are few enough to take milliseconds and enough for a median.
const roundTrips = 200

// RoundTrip is the median time of the smallest message a client can send
// (COM_PING), there and back, on one connection from where the load comes from.
func RoundTrip(ctx context.Context, j Job) (median time.Duration, err error) {
	d, err := wire.NewDialer(j.Server)
	if err != nil {
		return 0, err
	}
	d.Inside = j.inside
	s, err := d.Dial(ctx)
	if err != nil {
		return 0, fmt.Errorf("time round trips: %w", err)
	}
	defer s.Close()
	ping := wire.AppendPing(nil)
	all := make([]time.Duration, roundTrips)
	for i := range all {
		began := time.Now()
		if err := s.Send(ctx, ping); err != nil {
			return 0, fmt.Errorf("time round trips: %w", err)
		}
		all[i] = time.Since(began)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}
