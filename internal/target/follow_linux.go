package target

import (
	"context"
	"time"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// FollowHere is how a neighbour of this machine follows turns; nil without a neighbour, and for one without turns.
func FollowHere(n *node.RunningNeighbour, turns *node.Turns) *Follow {
	if n == nil || turns == nil {
		return nil
	}
	return &Follow{
		Begin: func(_ context.Context, at time.Time, _ bool) error { return n.BeginTurns(at) },
		End:   func(ctx context.Context) ([]record.Fact, error) { return n.EndTurns(ctx) },
	}
}
