package node

import (
	"errors"
	"time"
)

// FreezePatience bounds the wait for a frozen tree: a task that the kernel holds for
// the disk stops when it comes back from there.
const FreezePatience = 5 * time.Millisecond

// ErrNotYetFrozen is why Freeze could not see everything stopped: it will be, but
// some of it ran on for longer than FreezePatience.
var ErrNotYetFrozen = errors.New("some processes have not stopped yet")
