package container

import (
	"context"
	"fmt"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/members"
)

// joinDatabase makes the server the first member of a database, whose addresses are known
// now that there is a network.
func (c *Container) joinDatabase(s *server) (err error) {
	if c.settings.Replication == nil {
		return nil
	}
	s.database, err = replication.New(*c.settings.Replication, s.request.Distribution, s.network.Members())
	if err == nil && members.Frozen(*c.settings.Replication, c.settings.events()) {
		s.database.Calm()
	}
	if err == nil && s.network.OverTCP() {
		s.database.Client(s.account)
	}
	if err == nil {
		err = s.database.Configure(&s.options, s.volume.data, 1)
	}
	return err
}

// startMember starts a further member: a pod of the same shape in the first one's tree, with
// a volume and a network namespace of its own, and without neighbours.
func (c *Container) startMember(first *server) func(context.Context, int, target.Request) (target.Server, error) {
	return func(ctx context.Context, number int, r target.Request) (target.Server, error) {
		m := c.newServer(r, first.runtime.path)
		m.first, m.resolver, m.namespace = first, first.resolver, first.network.MemberNamespace(number)
		listen := func(context.Context) error {
			if err := first.database.Configure(&m.options, m.volume.data, number); err != nil {
				return err
			}
			return m.request.Configure(m.options)
		}
		err := target.InSteps(ctx, m.remove, m.makeDirectories, m.configure, m.mountRoot, m.addPod(number), m.makeVolume, c.throttle(m), listen, m.run)
		if err != nil {
			return nil, record.StartContainer.Wrap(err)
		}
		return m, nil
	}
}

// addPod makes the member's pod beside that of the first.
func (s *server) addPod(number int) func(context.Context) error {
	return func(context.Context) (err error) {
		s.tree = s.first.tree
		s.pod, err = s.tree.AddPod(fmt.Sprintf("server-%d", number), fmt.Sprintf(keys.ReplicationMemberPrefix+"%d.", number), s.requirements, s.enforced)
		return err
	}
}
