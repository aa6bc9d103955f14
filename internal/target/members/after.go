package members

// The members after the load.

import (
	"context"
	"database/sql"
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
	primary := s.primaryNow(ctx, all)
	if s.watch.elects() && (primary == 0 || standing.Primary != primary) {
		return record.LeftOtherView.Say(strconv.Itoa(standing.Primary))
	}
	caught, err := s.database.CaughtUp(ctx, all, primary, number)
	switch {
	case err != nil:
		return record.LeftUncompared.Say(err.Error())
	case !caught:
		return record.LeftBehind.Say()
	}
	return ""
}

// primaryNow is the member that takes writes after the load, 0 for none. Of an elected one the
// members are asked again: the watch ended with the load.
func (s *servers) primaryNow(ctx context.Context, all []*sql.DB) int {
	if !s.watch.elects() {
		return s.watch.current()
	}
	var standings []replication.Standing
	for number := range all {
		asked, cancel := context.WithTimeout(ctx, askWithin)
		standing, err := s.database.Standing(asked, all, number+1)
		cancel()
		if err == nil { // one that does not answer has no vote
			standings = append(standings, standing)
		}
	}
	return replication.Elected(standings)
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
