package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
)

// gone is a mute server that has ended.
type gone struct{ mute }

func (gone) Alive() error {
	return errors.New("mysqld has ended: signal: killed; its last lines:\nmany")
}

// TestSilentServerIsLost: a step that waits for a server ends when the server answers
// nothing, or has ended, and says so; whoever interrupts it is not told of a lost server.
func TestSilentServerIsLost(t *testing.T) {
	t.Parallel()
	silent := mute{place: &fake{}, address: mysqld.Address{Socket: filepath.Join(t.TempDir(), "none.sock"), User: "root"}}
	wait := func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if err := survived(context.Background(), &silent, "", wait); !errors.Is(err, errLost) || !strings.Contains(err.Error(), "hung: it answered nothing for 10s") {
		t.Errorf("a mute server: %v", err)
	}
	if err := survived(context.Background(), &gone{silent}, "", wait); !errors.Is(err, errLost) || !strings.Contains(err.Error(), "killed") || strings.Contains(err.Error(), "many") {
		t.Errorf("a killed server: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := survived(ctx, &silent, "", wait); !errors.Is(err, context.Canceled) || errors.Is(err, errLost) {
		t.Errorf("interrupted: %v", err)
	}
}
