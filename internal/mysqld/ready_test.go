package mysqld_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
)

// hang is how long nothing takes that ends by itself, on a busy machine too.
const hang = 5 * time.Minute

// mute is a socket that takes connections and never says a word, as a server
// does that gets no processor.
func mute(t *testing.T) mysqld.Address {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return mysqld.Address{Socket: path}
}

func TestReadyGivesUp(t *testing.T) {
	for name, a := range map[string]mysqld.Address{
		"nothing there": {Socket: "/no/mysqld.sock"},
		"mute":          mute(t),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			err := mysqld.Ready(context.Background(), a, 300*time.Millisecond, nil)
			if !errors.Is(err, mysqld.ErrNotReady) {
				t.Errorf("error %v, want ErrNotReady", err)
			}
			if took := time.Since(start); took < 300*time.Millisecond || took > hang {
				t.Errorf("gave up after %s", took)
			}
		})
	}
}

func TestReadySeesDeath(t *testing.T) {
	died := errors.New("it was killed by signal 9")
	asked := 0
	alive := func() error {
		if asked++; asked > 3 {
			return died
		}
		return nil
	}
	err := mysqld.Ready(context.Background(), mute(t), hang, alive)
	if !errors.Is(err, mysqld.ErrDied) || !errors.Is(err, died) || errors.Is(err, mysqld.ErrNotReady) {
		t.Errorf("error %v, want ErrDied with how", err)
	}
}

func TestReadyIsCancelled(t *testing.T) {
	why := errors.New("the user has had enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	err := mysqld.Ready(ctx, mute(t), hang, func() error { return nil })
	if !errors.Is(err, why) || errors.Is(err, mysqld.ErrNotReady) {
		t.Errorf("error %v, want the cause of the cancellation", err)
	}
	if !strings.HasPrefix(err.Error(), "wait for server") {
		t.Errorf("error %v does not say what was interrupted", err)
	}
}
