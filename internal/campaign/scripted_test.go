package campaign

// A place whose server answers from a script, and an engine whose load takes no time: a
// trial goes through all of its steps in a fraction of a second.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/progress"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// scriptedPlace starts servers that make their data again, so that none is prepared.
type scriptedPlace struct{ open atomic.Int64 } // servers that were not stopped

func (*scriptedPlace) Data() target.Data                 { return target.PerTrial }
func (*scriptedPlace) Capabilities() target.Capabilities { return target.Capabilities{} }
func (*scriptedPlace) Check(context.Context) []error     { return nil }

func (p *scriptedPlace) Start(_ context.Context, r target.Request) (target.Server, error) {
	socket := filepath.Join(r.RunDir, "mysql.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	p.open.Add(1)
	s := &scriptedServer{place: p, socket: socket, listener: l}
	s.all.Go(s.accept)
	return s, nil
}

// scriptedServer speaks as much of the protocol as tare's own connections need.
type scriptedServer struct {
	place    *scriptedPlace
	socket   string
	listener net.Listener
	all      sync.WaitGroup
}

func (s *scriptedServer) Address() mysqld.Address {
	return mysqld.Address{Socket: s.socket, User: "root"}
}
func (*scriptedServer) Exec(context.Context, target.Side, target.Command) error {
	return errors.New("no commands")
}
func (*scriptedServer) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{Restart: func(context.Context) error { return nil }}
}
func (*scriptedServer) Alive() error                                { return nil }
func (*scriptedServer) Facts(context.Context, string) []record.Fact { return nil }

// Stop returns when every connection has ended.
func (s *scriptedServer) Stop(context.Context) error {
	err := s.listener.Close()
	s.all.Wait()
	s.place.open.Add(-1)
	return err
}

func (s *scriptedServer) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.all.Go(func() {
			defer c.Close()
			_ = converse(c) // the client has gone
		})
	}
}

// converse greets, lets the client in, and answers until it goes.
func converse(c net.Conn) error {
	const capabilities = 0x00000200 | 0x00008000 | 0x00080000 // protocol 4.1, secure connection, authentication by plugins
	greeting := append([]byte{10}, "8.4.0\x00"...)
	greeting = append(greeting, 1, 0, 0, 0)
	greeting = append(greeting, "12345678\x00"...)
	greeting = append(greeting, byte(capabilities&0xff), byte(capabilities>>8&0xff), 255, 2, 0, byte(capabilities>>16&0xff), 0, 21)
	greeting = append(greeting, make([]byte, 10)...)
	greeting = append(greeting, "123456789012\x00mysql_native_password\x00"...)
	if err := send(c, 0, greeting); err != nil {
		return err
	}
	if _, _, err := receive(c); err != nil {
		return err
	}
	if err := send(c, 2, accepted()); err != nil {
		return err
	}
	for {
		_, command, err := receive(c)
		if err != nil || len(command) == 0 || command[0] == 1 { // COM_QUIT
			return err
		}
		if err := answer(c, command); err != nil {
			return err
		}
	}
}

func accepted() []byte { return []byte{0, 0, 0, 2, 0, 0, 0} }

// answer gives a row to the queries that need one, and refuses the others.
func answer(c net.Conn, command []byte) error {
	if command[0] == 14 { // COM_PING
		return send(c, 1, accepted())
	}
	for query, row := range map[string][]string{
		"SELECT 1":                         {"1"},
		"SELECT CONCAT_WS":                 {"scripted:1:1"},
		"SHOW GLOBAL STATUS LIKE 'Uptime'": {"Uptime", "1"},
		"SHOW GLOBAL VARIABLES":            {"version", "8.4.0"},
		"SELECT @@datadir":                 {"/"},
	} {
		if command[0] == 3 && bytes.HasPrefix(command[1:], []byte(query)) { // COM_QUERY
			return result(c, row)
		}
	}
	return send(c, 1, append([]byte{0xff, 0x28, 0x04}, "#42000not in the script"...))
}

// result is one row.
func result(c net.Conn, row []string) error {
	packets := [][]byte{{byte(len(row))}}
	for range row {
		column := []byte{3, 'd', 'e', 'f', 0, 0, 0, 1, 'c', 1, 'c', 12, 255, 0, 0, 1, 0, 0, 253, 0, 0, 0, 0, 0}
		packets = append(packets, column)
	}
	end := []byte{0xfe, 0, 0, 2, 0}
	packets = append(packets, end)
	var values []byte
	for _, v := range row {
		values = append(append(values, byte(len(v))), v...)
	}
	for i, p := range append(packets, values, end) {
		if err := send(c, byte(i+1), p); err != nil {
			return err
		}
	}
	return nil
}

func send(c net.Conn, sequence byte, payload []byte) error {
	head := []byte{0, 0, 0, sequence}
	head[0], head[1], head[2] = byte(len(payload)), byte(len(payload)>>8), byte(len(payload)>>16)
	_, err := c.Write(append(head, payload...))
	return err
}

func receive(c net.Conn) (sequence byte, payload []byte, err error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(c, head); err != nil {
		return 0, nil, err
	}
	length := binary.LittleEndian.Uint32(head) & 0xffffff
	payload = make([]byte, length)
	_, err = io.ReadFull(c, payload)
	return head[3], payload, err
}

// scriptedEngine offers a load of thirty seconds in no time.
type scriptedEngine struct{}

func (scriptedEngine) Name() string                                          { return "scripted" }
func (scriptedEngine) Check(context.Context, loadgen.Job) []error            { return nil }
func (scriptedEngine) Prepare(context.Context, loadgen.Job, io.Writer) error { return nil }
func (scriptedEngine) Cleanup(context.Context, loadgen.Job, io.Writer) error { return nil }
func (scriptedEngine) Verifies(loadgen.Job) bool                             { return false }
func (scriptedEngine) Verify(context.Context, loadgen.Job) error             { return nil }

func (scriptedEngine) Run(_ context.Context, j loadgen.Job, emit func(record.Line) error) (record.Outcome, string, error) {
	seconds := int(j.Measure / time.Second)
	lines := []record.Line{{Metric: &record.Metric{Name: "throughput", Unit: "1/s", Direction: record.HigherIsBetter, Help: "Transactions per second"}}}
	for i := range seconds {
		lines = append(lines, record.Line{Interval: &record.Interval{End: float64(i + 1), Length: 1, Threads: j.Threads, Transactions: 1000}})
	}
	lines = append(lines, record.Line{Window: &record.Window{Seconds: float64(seconds), Counts: record.Counts{Transactions: int64(1000 * seconds)}}})
	for _, l := range lines {
		if err := emit(l); err != nil {
			return record.Failed, err.Error(), err
		}
	}
	return record.Measured, "", nil
}

// scriptedJob is a run of so many rounds of 30 seconds, two arms each, in dir.
func scriptedJob(t *testing.T, dir string, spec string) (runner.Job, *scriptedPlace) {
	t.Helper()
	e, err := experiment.Parse("x.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	place, own := &scriptedPlace{}, t.TempDir()
	j := runner.Job{
		Dir: dir, Experiment: e, Plan: experiment.NewPlan(e), Engine: scriptedEngine{}, Version: "test",
		Targets: map[string]target.Target{}, State: runner.State{Dir: filepath.Join(own, "state"), RunDir: filepath.Join(own, "run")},
		Observe: func(runner.Progress) {},
	}
	for _, arm := range e.Arms {
		j.Targets[arm.Name] = place
	}
	if err := record.Create(j.Dir, e, j.Plan); err != nil {
		t.Fatal(err)
	}
	return j, place
}

// quiet shows a run to nobody.
func quiet(t *testing.T, j runner.Job) *progress.Progress {
	t.Helper()
	show := progress.New(j, progress.Options{Out: io.Discard})
	t.Cleanup(show.Close)
	return show
}
