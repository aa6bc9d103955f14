package process

import (
	"context"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/members"
)

// joinDatabase makes the server the first member of a database, whose addresses are known
// now that there is a network.
func (p *process) joinDatabase(s *server) (err error) {
	if p.settings.Replication == nil {
		return nil
	}
	s.database, err = replication.New(*p.settings.Replication, s.request.Distribution, s.network.Members())
	if err == nil && members.Frozen(*p.settings.Replication, p.settings.events()) {
		s.database.Calm()
	}
	if err == nil && s.network.OverTCP() {
		s.database.Client(s.account)
	}
	if err == nil {
		err = s.database.Configure(&s.options, s.request.DataDir, 1)
	}
	return err
}

// startMember starts a further member: a server as the first one, in a network namespace of
// its own and without a neighbour.
func (s *server) startMember(ctx context.Context, number int, r target.Request) (target.Server, error) {
	m := &server{request: r, view: s.view, log: &target.Tail{To: r.Log}, namespace: s.network.MemberNamespace(number)}
	listen := func(context.Context) error {
		if err := s.database.Configure(&m.options, r.DataDir, number); err != nil {
			return err
		}
		return m.request.Configure(m.options)
	}
	if err := target.InSteps(ctx, m.Stop, m.lookAt, m.prepare, m.configure, listen, m.start); err != nil {
		return nil, record.StartProcess.Wrap(err)
	}
	return m, nil
}
