package target

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/fault"
)

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
			return errors.Join(err, undo(context.WithoutCancel(ctx)))
		}
	}
	return nil
}
