package loop

import "testing"

// TestMending: what is sent late counts as the generator's doing only once all connections are whole and a transaction
// has succeeded; a connection that is renewed on purpose is not broken.
func TestMending(t *testing.T) {
	lost, renewed := &connection{state: gone}, &connection{state: gone, renewing: true}
	l := &Loop{conns: []*connection{lost, renewed}}
	if l.mending() {
		t.Error("nothing was broken")
	}
	l.broken, l.service.failing = true, true
	if !l.mending() {
		t.Error("a connection is broken")
	}
	lost.state = resting
	if !l.mending() {
		t.Error("nothing has succeeded yet")
	}
	l.service.failing = false
	if l.mending() || l.broken {
		t.Error("all connections are whole")
	}
}
