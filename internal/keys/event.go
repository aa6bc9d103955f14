package keys

// This file has the facts of what happened to a database while it was loaded.

const (
	EventPrefix = "event." // one event of the experiment: when it began and ended, and what was seen of it
)
