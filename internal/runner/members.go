package runner

// The further members of a replicated database: their copies of the data, and the step in
// which they join.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// copyForMembers gives every further member a copy of the data, which is the first one's
// byte by byte: members that begin with other data are no replicas.
func (t *trial) copyForMembers(copies int) error {
	for i := range copies {
		dir := filepath.Join(t.instance.Dir, fmt.Sprintf("data-%d", i+2))
		shared, err := cloneTree(t.source.dirs[t.plan.Arm], dir)
		if err != nil {
			return err
		}
		sum, err := t.source.contents.sumOfCopy(t.source.dirs[t.plan.Arm], dir, shared)
		if err == nil && sum != t.instance.Checksum {
			err = errors.New(record.CopyData.Say(record.CopyDiffers.Say(strconv.Itoa(i + 2))))
		}
		if err != nil {
			return err
		}
		t.instance.Copies = append(t.instance.Copies, dir)
	}
	return nil
}

// join makes the servers of a replicated database its members. Those of a server that is
// another trial's are members already, and the statements that make them so fail a second time.
func (t *trial) join(ctx context.Context, within time.Duration) error {
	join := t.server.Capabilities().Join
	if join == nil || t.round.lent(t) {
		return nil
	}
	if err := t.phase("join members"); err != nil {
		return err
	}
	return join(ctx, within)
}
