package barrier_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestWatchAfterReset: the connection on which a generator watches its controller is killed,
// as a proxy does at the end of a connection's lifetime. The generator watches on another one,
// and its load ends when the controller is gone.
func TestWatchAfterReset(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := mysqldtest.Start(t, d, nil)
			root, controller, first := connect(t, s.Address), connect(t, s.Address), connect(t, s.Address)
			ask(t, root, "SET GLOBAL log_output = 'TABLE'")
			ask(t, root, "SET GLOBAL general_log = ON")
			for _, statement := range barrier.HoldSQL("reset") {
				ask(t, controller, statement)
			}
			killed := ask(t, first, "SELECT CONNECTION_ID()")
			second := connect(t, s.Address)
			id, again := ask(t, second, "SELECT CONNECTION_ID()"), make(chan struct{})
			dial := func(context.Context) (*wire.Session, error) {
				close(again)
				return second, nil
			}
			ended := make(chan error, 1)
			go func() { ended <- barrier.Watch(t.Context(), first, dial, "reset", 100*time.Millisecond) }()
			looked(t, root, killed, 2, ended)
			ask(t, root, "KILL "+killed)
			select {
			case <-again:
				looked(t, root, id, 2, ended)
			case err := <-ended:
				t.Fatalf("the watch ended with its connection: %v", err)
			}
			controller.Close()
			if err := <-ended; !errors.Is(err, barrier.ErrNoController) {
				t.Errorf("a load whose controller is gone: %v", err)
			}
		})
	}
}

// TestWatchOnAnotherMember: behind an address of several members the next connection may lead to
// another one, where the controller holds nothing. It is there nevertheless, and the load goes on.
func TestWatchOnAnotherMember(t *testing.T) {
	d := mysqldtest.Distributions(t)[0]
	s, other := mysqldtest.Start(t, d, nil), mysqldtest.Start(t, d, nil)
	root, controller, first := connect(t, s.Address), connect(t, s.Address), connect(t, s.Address)
	otherRoot, second := connect(t, other.Address), connect(t, other.Address)
	for _, member := range []*wire.Session{root, otherRoot} {
		ask(t, member, "SET GLOBAL log_output = 'TABLE'")
		ask(t, member, "SET GLOBAL general_log = ON")
	}
	for _, statement := range barrier.HoldSQL("moved") {
		ask(t, controller, statement)
	}
	killed, id := ask(t, first, "SELECT CONNECTION_ID()"), ask(t, second, "SELECT CONNECTION_ID()")
	again := make(chan struct{})
	dial := func(context.Context) (*wire.Session, error) {
		close(again)
		return second, nil
	}
	const grace = 20 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- barrier.Watch(ctx, first, dial, "moved", grace) }()
	looked(t, root, killed, 2, ended)
	ask(t, root, "KILL "+killed)
	select {
	case <-again:
	case err := <-ended:
		t.Fatalf("the watch ended with its connection: %v", err)
	}
	looked(t, otherRoot, id, 10, ended) // a look every 10 ms: some times the grace
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("a load whose controller is on another member: %v", err)
	}
}

// looked returns when a connection has asked for the controller n times: all answers but the last
// have come then. The server's log of statements says so. The watch must not end before.
func looked(t *testing.T, root *wire.Session, id string, times int, ended <-chan error) {
	t.Helper()
	count := fmt.Sprintf("SELECT COUNT(*) FROM mysql.general_log WHERE thread_id = %s AND argument LIKE '%%IS_USED_LOCK%%'", id)
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if n, err := strconv.Atoi(ask(t, root, count)); err != nil || n >= times {
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("the watch has ended: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("connection %s does not ask for the controller", id)
		}
	}
}

func connect(t *testing.T, a mysqld.Address) *wire.Session {
	t.Helper()
	dialer, err := wire.NewDialer(a)
	if err != nil {
		t.Fatal(err)
	}
	session, err := dialer.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// ask is the first value of an answer, "" without one.
func ask(t *testing.T, s *wire.Session, sql string) string {
	t.Helper()
	rows, err := s.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if len(rows) == 0 {
		return ""
	}
	return rows[0][0]
}
