//go:build !linux

package target

// steps are none: an instance has files here, and no server.
func (i instance) steps() []step { return nil }
