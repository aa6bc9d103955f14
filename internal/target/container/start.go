package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/members"
)

// Start starts the server; when a step fails, or ctx ends, nothing of the others
// is left.
func (c *Container) Start(ctx context.Context, r target.Request) (target.Server, error) {
	path, err := findRuntime(c.settings.Runtime)
	if err == nil {
		err = members.Possible(c.settings.Replication, r)
	}
	if err != nil {
		return nil, record.StartContainer.Wrap(err)
	}
	s := c.newServer(r, path)
	err = target.InSteps(ctx, s.remove, s.makeDirectories, s.configure, s.mountRoot, c.makeTree(s), s.makeVolume, c.throttle(s), s.initialize, c.buildNetwork(s), c.startNeighbour(s), c.addClient(s), s.run)
	if err != nil {
		return nil, record.StartContainer.Wrap(err)
	}
	if s.database == nil {
		return event.Alone(s, r.Name, c.settings.events(), s.again), nil
	}
	return members.Start(ctx, r, s, s.network, s.database, c.settings.events(), c.startMember(s))
}

// newServer is a server of which nothing has been made yet, for the runtime at path.
func (c *Container) newServer(r target.Request, path string) *server {
	dir := filepath.Join(r.Dir, "container")
	return &server{
		request: r, log: &target.Tail{To: r.Log}, requirements: c.settings.requirements(c.machine), capacity: c.machine.capacity,
		enforced: c.settings.enforced(c.machine), volume: c.settings.newVolume(r, dir), io: c.settings.IO, shape: c.shapeFacts(), security: c.settings.security(), tmpfsSize: c.tmpfsSize(),
		runtime: runtime{path: path, dir: dir, instance: r.Name, noHugePages: c.settings.HugePages == noHugePages}, layers: newLayers(r.Distribution.Root, dir),
	}
}

// makeDirectories makes what is the target's own and gives the server's
// directories to its user.
func (s *server) makeDirectories(context.Context) error {
	for _, dir := range []string{s.runtime.dir, s.request.TmpDir()} {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return record.MakeDirectory.Wrap(err)
		}
	}
	return s.request.HandOver()
}

// configure writes the server's options file.
func (s *server) configure(context.Context) error {
	s.options = s.request.Options(target.InsideData, target.InsideRun, target.InsideTmp)
	return s.request.Configure(s.options)
}

func (s *server) mountRoot(context.Context) error { return s.layers.mount() }

// makeTree makes the pod's cgroups; the container's own is the runtime's.
func (c *Container) makeTree(s *server) func(context.Context) error {
	return func(context.Context) error {
		// Reserved CPUs are none of kubepods'; what hard eviction keeps free is.
		reserved := node.Resources{CPU: c.machine.reserved.CPU, Memory: c.env.Reserved.Memory}
		tree, err := node.NewTree(s.request.Name, c.machine.capacity, reserved)
		if err != nil {
			return err
		}
		s.tree = tree
		if err := tree.Create(); err != nil {
			return err
		}
		s.pod, err = tree.AddPod("server", "", s.requirements, s.enforced)
		if len(s.enforced.CPUs) > 0 {
			tree.Share(c.machine.topology.CPUs().Without(s.enforced.CPUs))
		}
		return err
	}
}

// startNeighbour starts the pod beside the server, before it: on a node in use,
// a pod starts among the others.
func (c *Container) startNeighbour(s *server) func(context.Context) error {
	return func(ctx context.Context) error {
		if c.settings.Neighbour == nil {
			return nil
		}
		n, err := c.settings.Neighbour.Start(ctx, s.tree, c.machine.capacity, c.env.Neighbour, s.request.Dir, s.request.Turns)
		s.neighbour = n
		return err
	}
}

// initialize makes the system tables where that is asked for, in the pod but
// without its neighbour: preparing data is not what is measured.
func (s *server) initialize(ctx context.Context) error {
	if !s.request.Initialize {
		return nil
	}
	argv, stdin, err := mysqld.InitCommand(s.request.Distribution, s.options)
	if err != nil {
		return err
	}
	if err := s.launch(argv, false, strings.NewReader(stdin)); err != nil {
		return err
	}
	ctx, cancel := mysqld.Initializing(ctx)
	defer cancel()
	select {
	case <-s.running.ended:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.running.err != nil {
		return record.InitDirectory.Error(s.running.err, s.running.err.Error(), s.log.Last())
	}
	if err := s.forget(ctx); err != nil {
		return err
	}
	s.running = nil
	return nil
}

// run starts the server.
func (s *server) run(ctx context.Context) error {
	keep, err := s.runtime.keeps(ctx)
	if err != nil {
		return record.AskRuntime.Wrap(err)
	}
	if err := s.launch(mysqld.Arguments(s.request.Distribution, s.options), keep, nil); err != nil {
		return err
	}
	pid, err := s.container().pid(ctx, s.runtime.pidFile())
	if err != nil {
		return record.RunContainerLog.Wrap(err, s.log.Last())
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	s.pid = pid
	return nil
}

// again ends the server with a signal and starts a container with the same options on its data, as a
// kubelet does where a pod has restartPolicy: Always.
func (s *server) again(ctx context.Context, signal unix.Signal, exited func()) error {
	defer s.expect(false)
	s.expect(true)
	if err := unix.Kill(s.PID(), signal); err != nil {
		return record.SignalServer.Wrap(err)
	}
	if err := event.Ended(ctx, s.container().ended); err != nil {
		return record.StartAgain.Wrap(err)
	}
	exited()
	if err := s.forget(ctx); err != nil {
		return record.StartAgain.Wrap(err)
	}
	if err := s.run(ctx); err != nil {
		return record.StartAgain.Wrap(err)
	}
	return nil
}

// forget removes a container that has ended, so that another one can have its name.
func (s *server) forget(ctx context.Context) error {
	if err := s.removeContainer(ctx); err != nil {
		return err
	}
	return os.Remove(s.runtime.pidFile())
}

// launch runs a command in the container.
func (s *server) launch(argv []string, keep bool, stdin io.Reader) error {
	if err := s.writeBundle(argv); err != nil {
		return err
	}
	r, err := s.runtime.run(keep, stdin, s.log)
	s.changing.Lock()
	defer s.changing.Unlock()
	s.running = r
	return err
}

// writeBundle writes the container's configuration.
func (s *server) writeBundle(argv []string) error {
	var err error
	s.oomWanted = node.OOMScoreAdj(s.pod.Class(), s.requirements.Request.Memory, s.capacity.Memory)
	if s.oomGiven, err = permitted(s.oomWanted); err != nil {
		return err
	}
	files, err := openFiles()
	if err != nil {
		return err
	}
	mounts, err := mountinfo.GetMounts(nil)
	if err != nil {
		return fmt.Errorf("list mounts: %w", err)
	}
	d := s.request.Distribution
	b := bundle{
		request: s.request, volume: s.volume, security: s.security, rootfs: s.layers.merged, args: argv,
		submounts: submounts(d.Root, d.Server, mounts), cgroup: s.pod.ContainerPath(),
		resources: s.pod.Resources(), oomAdj: s.oomGiven, openFiles: files, unified: s.tree.Unified(), network: s.networkNamespace(), resolver: s.resolver,
	}
	text, err := json.MarshalIndent(b.spec(), "", "  ")
	if err != nil {
		return fmt.Errorf("encode container configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(s.runtime.dir, "config.json"), text, 0o600); err != nil {
		return fmt.Errorf("write container configuration: %w", err)
	}
	return nil
}
