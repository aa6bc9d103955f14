package members

// The members after the load.

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
)

// after are all servers once the load has ended. One that is a member is waited for until it
// has applied what the primary has.
func (s *servers) after(ctx context.Context, within time.Duration) ([]target.Member, error) {
	all, err := s.database.Connect()
	defer closeAll(all)
	if err != nil {
		return nil, record.LookAtMembers.Wrap(err)
	}
	s.waited = s.ofMembers(ctx, "end")
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var members []target.Member
	for i, server := range s.all {
		m := target.Member{Number: i + 1, Address: server.Address()}
		switch known := s.watch.of(i + 1); {
		case known.dead:
			m.Left = record.LeftKilled.Say()
		case known.left != "":
			m.Left = known.left
		default:
			m.Left = s.catchUp(ctx, limit, all, i+1)
		}
		members = append(members, m)
	}
	return members, nil
}

// catchUp waits for a member until limit ends; it returns what keeps it from being one, "" for
// nothing. A member is asked once where the others have used up the time.
func (s *servers) catchUp(ctx, limit context.Context, all []*sql.DB, number int) string {
	for {
		why := s.missing(ctx, all, number)
		if why == "" {
			return ""
		}
		if !every(limit, askEvery) {
			return why
		}
	}
}

func (s *servers) missing(ctx context.Context, all []*sql.DB, number int) string {
	ctx, cancel := context.WithTimeout(ctx, 10*askWithin)
	defer cancel()
	standing, err := s.database.Standing(ctx, all, number)
	switch {
	case err != nil:
		return record.LeftSilent.Say(err.Error())
	case !standing.Member && standing.State != "":
		return record.LeftInState.Say(standing.State)
	case !standing.Member:
		return record.LeftDatabase.Say()
	}
	writers, err := s.writersNow(ctx, all)
	switch {
	case err != nil:
		return record.LeftUncompared.Say(err.Error())
	case s.watch.elects() && !slices.Contains(writers, standing.Primary):
		return record.LeftOtherView.Say(strconv.Itoa(standing.Primary))
	}
	return s.behind(ctx, all, writers, number)
}

// behind says that a member has not applied what it has received itself and what these have, ""
// where it has.
func (s *servers) behind(ctx context.Context, all []*sql.DB, writers []int, number int) string {
	for _, other := range append([]int{number}, without(writers, number)...) {
		caught, err := s.database.CaughtUp(ctx, all, other, number)
		switch {
		case err != nil:
			return record.LeftUncompared.Say(err.Error())
		case !caught:
			return record.LeftBehind.Say()
		}
	}
	return ""
}

// writersNow are the members that take writes after the load. Those that are elected, or are all
// members, are asked again: the watch ended with the load.
func (s *servers) writersNow(ctx context.Context, all []*sql.DB) ([]int, error) {
	switch {
	case s.database.Settings().Writers == replication.AllWriters:
		return s.membersNow(ctx, all)
	case !s.watch.elects():
		return []int{s.watch.current()}, nil
	}
	var standings []replication.Standing
	for i := range all {
		standing, err := s.standingNow(ctx, all, i+1)
		if err == nil { // one that does not answer has no vote
			standings = append(standings, standing)
		}
	}
	return without([]int{replication.Elected(standings)}, 0), nil
}

// membersNow are all members of the database. One that was not killed and does not answer can have
// what the others lack.
func (s *servers) membersNow(ctx context.Context, all []*sql.DB) (members []int, err error) {
	for i := range all {
		if s.watch.of(i + 1).dead {
			continue
		}
		standing, err := s.standingNow(ctx, all, i+1)
		if err != nil {
			return nil, err
		}
		if standing.Member {
			members = append(members, i+1)
		}
	}
	return members, nil
}

func (s *servers) standingNow(ctx context.Context, all []*sql.DB, number int) (replication.Standing, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return s.database.Standing(ctx, all, number)
}

// client is how the load gets to the members: with routes where it does not go to the first
// alone.
func (s *servers) client() target.Client {
	c := target.ClientOf(s.all[0])
	c.Routes = s.watch.routes
	return c
}

// routesTo are the members' addresses as the load has them.
func (s *servers) routesTo() *mysqld.Routes {
	c := target.ClientOf(s.all[0])
	var addresses []mysqld.Address
	var to []int
	for i, server := range s.all {
		a := server.Address()
		if c.Address.Socket == "" {
			a = c.Address
			if i > 0 {
				a.Host = s.database.Hosts()[i]
			}
		}
		addresses = append(addresses, a)
		to = append(to, i)
	}
	if !s.spread() {
		to = to[:1]
	}
	return mysqld.NewRoutes(addresses, to...)
}
