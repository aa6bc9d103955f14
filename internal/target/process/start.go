package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/members"
)

// Start starts the server; when a step fails, nothing of the others is left.
func (p *process) Start(ctx context.Context, r target.Request) (target.Server, error) {
	v, err := viewOf(r.Distribution.Root)
	if err != nil {
		return nil, err
	}
	if err := members.Possible(p.settings.Replication, r); err != nil {
		return nil, record.StartProcess.Wrap(err)
	}
	s := &server{request: r, view: v, log: &target.Tail{To: r.Log}}
	err = target.InSteps(ctx, s.Stop, s.lookAt, s.prepare, s.configure, s.initialize, p.buildNetwork(s), p.startNeighbour(s), s.start)
	if err != nil {
		return nil, record.StartProcess.Wrap(err)
	}
	if s.database == nil {
		return event.Alone(s, r.Name, p.settings.events(), s.again), nil
	}
	return members.Start(ctx, r, s, s.network, s.database, p.settings.events(), s.startMember)
}

// lookAt asks for the directories, which are the caller's to make.
func (s *server) lookAt(context.Context) error {
	for _, dir := range []string{s.request.Dir, s.request.RunDir, s.request.DataDir} {
		if info, err := os.Stat(dir); err != nil {
			return record.FindDirectory.Wrap(err)
		} else if !info.IsDir() {
			return fmt.Errorf("find directory: %s is not a directory", dir)
		}
	}
	return nil
}

// prepare makes what the server's view needs and gives its directories to its
// user.
func (s *server) prepare(context.Context) error {
	for _, dir := range []string{s.request.TmpDir(), scratch(s.request)} {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return record.MakeDirectory.Wrap(err)
		}
	}
	return s.request.HandOver()
}

// configure writes the server's options file.
func (s *server) configure(context.Context) error {
	s.options = s.request.Options(s.view.paths(s.request))
	if err := s.request.WriteStatements(&s.options); err != nil {
		return err
	}
	return s.request.Configure(s.options)
}

// initialize makes the system tables where that is asked for.
func (s *server) initialize(ctx context.Context) error {
	if !s.request.Initialize {
		return nil
	}
	argv, stdin, err := mysqld.InitCommand(s.request.Distribution, s.options)
	if err != nil {
		return err
	}
	r, err := s.launch(argv, strings.NewReader(stdin))
	if err != nil {
		return err
	}
	ctx, cancel := mysqld.Initializing(ctx)
	defer cancel()
	select {
	case <-r.ended:
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), r.kill())
	}
	if r.err != nil {
		return record.InitDirectory.Error(r.err, r.err.Error(), s.log.Last())
	}
	return nil
}

// start starts the server itself.
func (s *server) start(context.Context) error {
	r, err := s.launch(mysqld.Arguments(s.request.Distribution, s.options), nil)
	if err != nil {
		return err
	}
	s.running.Lock()
	defer s.running.Unlock()
	s.mysqld = r
	return nil
}

// again ends the server with a signal and starts it with the same options on its data, as systemd
// does where a unit has Restart=always.
func (s *server) again(ctx context.Context, signal unix.Signal, exited func()) error {
	defer s.expect(false)
	s.expect(true)
	if err := s.signal(signal); err != nil {
		return err
	}
	if err := event.Ended(ctx, s.process().ended); err != nil {
		return record.StartAgain.Wrap(err)
	}
	exited()
	if err := s.start(ctx); err != nil {
		return record.StartAgain.Wrap(err)
	}
	return nil
}

// launch runs a command as the server's user in the server's view.
func (s *server) launch(argv []string, stdin io.Reader) (*running, error) {
	d := s.request.Distribution
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = s.request.Environment()
	cmd.Stdin = stdin
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.SysProcAttr = attributes(d.Root, d.UID, d.GID)
	cmd.WaitDelay = killPatience
	return launch(cmd, s.enter)
}
