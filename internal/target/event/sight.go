package event

// What observers see of an event that happens to a server that is alone.

import (
	"context"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

const (
	// lookEvery is the time between two attempts to connect to a server that is started again: the
	// resolution of what is seen of it. lookWithin bounds one.
	lookEvery  = 10 * time.Millisecond
	lookWithin = time.Second
)

// Sight takes in what is seen of one event.
type Sight struct {
	history *History
	number  int
	window  time.Time // its beginning
	began   time.Time
	looking *sync.WaitGroup
}

// Begins says that the event begins now: what prepared it is no part of it. Nothing is seen before.
func (s *Sight) Begins() {
	s.began = time.Now()
	s.history.at(s.number, func(one *happened) { one.began = s.began.Sub(s.window) })
}

// See notes that something was seen at a time. Of several observers the first counts.
func (s *Sight) See(what Seen, at time.Time, by string) {
	s.history.at(s.number, func(one *happened) {
		if _, there := one.seen[what]; there {
			return
		}
		if one.seen == nil {
			one.seen = map[Seen]sighting{}
		}
		one.seen[what] = sighting{at.Sub(s.began), by}
	})
}

// Miss notes why something could not be seen.
func (s *Sight) Miss(what Seen, err error) {
	s.history.at(s.number, func(one *happened) {
		if one.missed == nil {
			one.missed = map[Seen]error{}
		}
		one.missed[what] = err
	})
}

// Go has an observer look beside the events, which wait for it at their end.
func (s *Sight) Go(look func()) { s.looking.Go(look) }

// Answer sees when the server at an address answers a query.
func (s *Sight) Answer(ctx context.Context, at mysqld.Address) {
	db, err := mysqld.Open(at)
	if err != nil {
		return // the load could not have begun
	}
	defer db.Close()
	answers := func(ctx context.Context) bool {
		var n int
		return db.QueryRowContext(ctx, "SELECT 1").Scan(&n) == nil
	}
	if Until(ctx, answers) {
		s.See(Answers, time.Now(), "SELECT 1 of tare's own")
	}
}

// Route sees when the way of the clients leads to a server that answers.
func (s *Sight) Route(ctx context.Context, client target.Client) { s.route(ctx, client, Until) }

func (s *Sight) route(ctx context.Context, client target.Client, until func(context.Context, func(context.Context) bool) bool) {
	d, err := wire.NewDialer(client.Address)
	if err != nil {
		return // the load could not have begun
	}
	d.Inside = client.Inside
	connects := func(ctx context.Context) bool {
		session, err := d.Dial(ctx)
		if err != nil {
			return false
		}
		session.Close()
		return true
	}
	if until(ctx, connects) {
		s.See(Routed, time.Now(), "a connection of tare's own on the way of the clients")
	}
}

// RouteAnew is Route where an attempt may go to a server that is gone and be lost: the next begins while it lasts.
func (s *Sight) RouteAnew(ctx context.Context, client target.Client) { s.route(ctx, client, untilAny) }

// Until tries again and again, one attempt after the other; false says that ctx has ended.
func Until(ctx context.Context, try func(context.Context) bool) bool {
	for {
		bounded, cancel := context.WithTimeout(ctx, lookWithin)
		ok := try(bounded)
		cancel()
		if ok {
			return true
		}
		if !wait(ctx, lookEvery) {
			return false
		}
	}
}

// besideAfter is when untilAny begins another attempt beside one that lasts.
const besideAfter = 100 * time.Millisecond

// untilAny is Until with up to ten attempts at a time.
func untilAny(ctx context.Context, try func(context.Context) bool) bool {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	ended := make(chan bool)
	for {
		all.Go(func() {
			bounded, cancel := context.WithTimeout(ctx, lookWithin)
			defer cancel()
			select {
			case ended <- try(bounded):
			case <-ctx.Done():
			}
		})
		select {
		case ok := <-ended:
			if ok {
				return true
			}
			if !wait(ctx, lookEvery) {
				return false
			}
		case <-time.After(besideAfter):
		case <-ctx.Done():
			return false
		}
	}
}
