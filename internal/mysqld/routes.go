package mysqld

import (
	"slices"
	"sync"
)

// Routes says which of several servers every connection of a load goes to. It changes while
// the load runs: a server fails, or another one becomes the primary.
type Routes struct {
	all []Address

	mu       sync.Mutex
	to       []int // of all, those that take load; never empty
	watchers map[int]func()
	last     int // number of the last watcher
}

// NewRoutes has connections go to the servers of these indexes, at least one.
func NewRoutes(all []Address, to ...int) *Routes {
	return &Routes{all: all, to: to, watchers: map[int]func(){}}
}

// Addresses are those of all servers, also of those that take no load now.
func (r *Routes) Addresses() []Address { return r.all }

// Of is the index of the server for a connection, numbered from 0. A connection has a server
// of its own among all, and another one only while that takes no load, so that a change moves
// as few connections as possible.
func (r *Routes) Of(connection int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if own := connection % len(r.all); slices.Contains(r.to, own) {
		return own
	}
	return r.to[connection%len(r.to)]
}

// Set changes the servers that take load and tells the watchers. No server at all changes
// nothing: connections keep trying the ones that took load last.
func (r *Routes) Set(to ...int) {
	r.mu.Lock()
	if len(to) == 0 || slices.Equal(to, r.to) {
		r.mu.Unlock()
		return
	}
	r.to = slices.Clone(to)
	var tell []func()
	for _, f := range r.watchers {
		tell = append(tell, f)
	}
	r.mu.Unlock()
	for _, f := range tell {
		f()
	}
}

// Watch calls f after every change, until stop is called; it can be called once more at that
// moment.
func (r *Routes) Watch(f func()) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	number := r.last
	r.watchers[number] = f
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watchers, number)
	}
}
