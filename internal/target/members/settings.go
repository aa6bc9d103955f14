package members

import (
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// Contradictions are what no server could have of an arm's replication: and events: blocks;
// none where there are no such blocks.
func Contradictions(s *replication.Settings, events event.Planned, n network.Settings) []error {
	var errs []error
	if s != nil {
		errs = fields(s.Contradictions())
	}
	if s != nil && s.Proxy != "" {
		switch {
		case n.Client == "" || n.Client == network.Socket:
			errs = append(errs, target.Wrong("replication.proxy", "a client over the socket is connected to the server itself; write client: other-node"))
		case n.Service != (network.Service{}):
			errs = append(errs, target.Wrong("replication.proxy", "the load is sent to the proxy and not to a Service; leave service out"))
		case events.Any():
			errs = append(errs, target.Wrong("replication.proxy", "the proxy passes the load on to the first member, and with events the load follows the primary; leave one of them out"))
		}
	}
	if s == nil {
		return append(errs, events.Wrong(0)...)
	}
	return append(errs, events.Wrong(s.Defaulted().Members)...)
}

// Check says why servers from these files cannot replicate.
func Check(s replication.Settings, d mysqld.Distribution) []error { return fields(s.Check(d)) }

func fields(wrong []replication.Wrong) []error {
	var errs []error
	for _, w := range wrong {
		errs = append(errs, target.FieldError{Field: w.Field, Err: w.Err})
	}
	return errs
}

// Capabilities are those of an arm with replication: its data are copied for every member. Its
// servers cannot be frozen while tare watches who the primary is: none answers then.
func Capabilities(c target.Capabilities, s replication.Settings, events event.Planned) target.Capabilities {
	s = s.Defaulted()
	c.Copies, c.MostFrozen = s.Members-1, s.MostFrozen()
	c.CheckConfig = func(config map[string]string) error { return errors.Join(fields(s.CheckConfig(config))...) }
	c.Events, c.Permission, c.ReadsOnly = events.Spans(), events.Permission(), s.Readers == replication.AllReaders && s.Writers != replication.AllWriters
	c.Spread = s.Writers == replication.AllWriters || s.Readers == replication.AllReaders
	if !Frozen(s, events) {
		c.Memories = nil
	}
	return c
}

// Frozen says whether the members can be frozen between turns.
func Frozen(s replication.Settings, events event.Planned) bool {
	return !events.Any() && s.Writers != replication.AllWriters && s.Readers != replication.AllReaders
}

// Possible says why a request cannot be met by several members; nil settings ask for none.
func Possible(s *replication.Settings, r target.Request) error {
	switch {
	case s == nil:
		return nil
	case r.Initialize:
		return errors.New("initialise data directory: the members of a replicated database begin with copies of one that is initialised")
	case len(r.Copies) != s.Defaulted().Members-1:
		return fmt.Errorf("find data: %d members have %d copies of the data beside the first's", s.Defaulted().Members, len(r.Copies))
	}
	return nil
}
