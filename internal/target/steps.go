package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/fault"
)

// undoWithin bounds what taking down a start that failed may take; the sweep of the
// instance comes after it.
const undoWithin = 2 * time.Minute

// InSteps takes the steps of a start in their order. When one fails, or ctx ends
// between two of them, undo takes down what was made until then, with a context
// that has not ended: a start that fails leaves nothing.
func InSteps(ctx context.Context, undo func(context.Context) error, steps ...func(context.Context) error) error {
	for i, step := range steps {
		fault.At(fmt.Sprintf("start: before step %d of %d", i+1, len(steps)))
		err := ctx.Err()
		if err == nil {
			err = step(ctx)
		}
		if err != nil {
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWithin)
			defer cancel()
			return errors.Join(err, undo(within))
		}
	}
	return nil
}
