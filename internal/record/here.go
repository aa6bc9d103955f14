package record

// This file says what the gates of a trial are of. They are read on tare's own machine, where nothing of the trial
// may be: a laptop whose servers and load generators are in a cluster.

import (
	"strings"

	"github.com/tarebench/tare/internal/keys"
)

// The values of [keys.GateServer] and [keys.GateLoad].
const (
	Here      = "here"
	Elsewhere = "elsewhere"
)

// Concerns tells whether what runs on tare's machine can have disturbed a trial whose server and load are where the
// facts say: one of them is there. Of two unknown ones, nothing is claimed.
func Concerns(server, load Fact) bool { return server.Value == Here || load.Value == Here }

// Where are the two facts of a trial, zero where it has none, as of earlier versions.
func (t *Trial) Where() (server, load Fact) {
	for _, f := range t.Facts {
		switch f.Key {
		case keys.GateServer:
			server = f
		case keys.GateLoad:
			load = f
		}
	}
	return server, load
}

// Gated tells whether the gates of a trial count for it. Those of records of earlier versions do: they do not
// say where its parts were.
func (t *Trial) Gated() bool {
	server, load := t.Where()
	return server.Key == "" && load.Key == "" || Concerns(server, load)
}

// ByAddress begins the source of [keys.GateServer] of a server of which tare knows nothing but its address.
const ByAddress = "address "

// ServerMaybeHere tells whether the server has an address of tare's machine, where it or a proxy to it listens. What is
// read beside it is read on tare's machine.
func (t *Trial) ServerMaybeHere() bool {
	server, _ := t.Where()
	return server.Unknown != "" && strings.HasPrefix(server.Source, ByAddress)
}

// ServerSeen tells whether the gates are of the server's machine.
func (t *Trial) ServerSeen() bool {
	server, _ := t.Where()
	return server.Key == "" || server.Value == Here
}
