package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// server is the MySQL that everything is measured on: one, fresh, for the whole
// run, on TCP loopback.
type server struct {
	address mysqld.Address
	dir     string
	cmd     *exec.Cmd
	ended   chan struct{}
}

// port is where it listens, out of the way of a server that the machine has.
const port = 23306

// inRoot runs a command in a root file system that stays as it is: the mounts are
// in a namespace of the server's own. It ends in exec, so the process is the server.
const inRoot = `set -e
root=$1 dir=$2; shift 2
mount --bind "$root" "$root"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root$dir"
mount --bind "$dir" "$root$dir"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
exec chroot "$root" "$@"`

func startServer(ctx context.Context, c config) (*server, error) {
	dir, err := os.MkdirTemp("/tmp", "tare-bench")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, address: mysqld.Address{Host: "127.0.0.1", Port: port, User: "bench", Schema: "sbtest"}}
	if err := s.start(ctx, c); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) start(ctx context.Context, c config) error {
	data, setup := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "setup.sql")
	if err := os.Mkdir(data, 0o755); err != nil {
		return err
	}
	sql := "CREATE SCHEMA sbtest;\nCREATE SCHEMA " + sysbenchSchema + ";\nCREATE SCHEMA " + timedSchema + ";\nCREATE USER bench@'127.0.0.1';\nGRANT ALL ON *.* TO bench@'127.0.0.1';\n"
	if err := os.WriteFile(setup, []byte(sql), 0o644); err != nil {
		return err
	}
	base := []string{c.server, "--no-defaults", "--user=root", "--datadir=" + data, "--tmpdir=" + s.dir, "--secure-file-priv="}
	if out, err := c.command(ctx, s.dir, append(base, "--initialize-insecure")).CombinedOutput(); err != nil {
		return fmt.Errorf("initialise server: %w: %s", err, out)
	}
	s.cmd = c.command(context.WithoutCancel(ctx), s.dir, append(base,
		"--init-file="+setup, "--port="+strconv.Itoa(port), "--bind-address=127.0.0.1", "--socket="+filepath.Join(s.dir, "s"),
		"--pid-file="+filepath.Join(s.dir, "pid"), "--mysqlx=OFF", "--innodb-buffer-pool-size=1G", "--innodb-redo-log-capacity=1G",
		"--max-connections=6000", "--back-log=4000", "--max-prepared-stmt-count=1048576", "--local-infile=ON", "--disable-log-bin"))
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if s.ended, err = launch(s.cmd); err != nil {
		return err
	}
	if err := mysqld.Ready(ctx, s.address, time.Minute, s.alive); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("start server: %w\n%s", err, text)
	}
	return nil
}

func (s *server) alive() error {
	select {
	case <-s.ended:
		return errors.New("it ended")
	default:
		return nil
	}
}

func (c config) command(ctx context.Context, dir string, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if c.rootfs != "" {
		args := []string{"--mount", "--propagation", "private", "sh", "-c", inRoot, "sh", c.rootfs, dir}
		cmd = exec.CommandContext(ctx, "unshare", append(args, argv...)...)
	}
	return cmd
}

func (s *server) stop() {
	if s.ended != nil {
		_ = s.cmd.Process.Kill() // its data are thrown away
		<-s.ended
	}
	os.RemoveAll(s.dir)
}

func (s *server) pin(cpu int) error { return setAffinity(s.cmd.Process.Pid, cpu) }

func (s *server) unpin() {
	var all []int
	for i := range runtime.NumCPU() {
		all = append(all, i)
	}
	_ = setAffinity(s.cmd.Process.Pid, all...)
}

// prepare makes the tables with our own engine.
func (s *server) prepare(ctx context.Context, schema string, tables, rows int) error {
	address := s.address
	address.Schema = schema
	d, err := wire.NewDialer(address)
	if err != nil {
		return err
	}
	d.LocalFiles = true
	o := workload.Defaults()
	o.Tables, o.TableSize = tables, rows
	return fill.Run(ctx, fill.Job{Tables: o.OLTPTables(1), Dial: d.Dial, Workers: 10})
}

// clear drops all tables.
func (s *server) clear(ctx context.Context) error {
	d, err := wire.NewDialer(s.address)
	if err != nil {
		return err
	}
	session, err := d.Dial(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, sql := range []string{"DROP SCHEMA sbtest", "CREATE SCHEMA sbtest"} {
		if err := session.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
