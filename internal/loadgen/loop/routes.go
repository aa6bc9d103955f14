package loop

// Connections follow the routes of a load: when a server takes no more load, its connections
// are ended, and made again with another one.

// routesChanged is called from outside the loop.
func (l *Loop) routesChanged() {
	l.inbox.Lock()
	defer l.inbox.Unlock()
	l.inbox.moved = true
	l.wakeUp()
}

// reroute ends the connections whose server takes no more load. A transaction that is under
// way there is not answered any more: it counts as one that was lost with its connection.
func (l *Loop) reroute() {
	for _, c := range l.conns {
		if c.wire == nil || c.state == released || l.job.Routes.Of(c.of) == c.server {
			continue
		}
		l.countError(codeServerLost)
		c.pause = 0 // the new server has refused nothing yet
		l.disconnected(c)
	}
}
