package external

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

// TestLimit: a limit ends what is derived from it as a timeout does, and as its parent where
// that ends first.
func TestLimit(t *testing.T) {
	over, cancel := limit(t.Context(), limitStep)
	defer cancel()
	derived, end := context.WithCancel(over)
	defer end()
	parent, endParent := context.WithCancel(t.Context())
	interrupted, cancelOther := limit(parent, time.Hour)
	defer cancelOther()
	if err := interrupted.Err(); err != nil {
		t.Errorf("before its end: %v", err)
	}
	endParent()
	for name, c := range map[string]struct {
		context.Context
		want error
	}{
		"limit": {over, context.DeadlineExceeded}, "derived": {derived, context.DeadlineExceeded}, "parent": {interrupted, context.Canceled},
	} {
		<-c.Done()
		if got := c.Err(); !errors.Is(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestCheckOfSilence: a server that accepts connections and says nothing is not available.
func TestCheckOfSilence(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("TARE_TEST_PASSWORD", secret)
	e, err := parse(fmt.Sprintf("{host: 127.0.0.1, port: %d, user: u, passwordEnv: TARE_TEST_PASSWORD}", l.Addr().(*net.TCPAddr).Port))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(e.Check(t.Context())...)
	var field target.FieldError
	if !errors.As(err, &field) || field.Field != "host" || !errors.As(err, &target.Unavailable{}) || !errors.Is(err, mysqld.ErrNoAnswer) {
		t.Errorf("%v", err)
	}
}
