package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
)

// TestServerThatClosesTheConnection: a server that ends the connection before it has greeted is said to have done so,
// whichever function of a library has seen it; a command that was interrupted says that alone.
func TestServerThatClosesTheConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	at := l.Addr().(*net.TCPAddr)
	d, err := NewDialer(mysqld.Address{Host: "127.0.0.1", Port: at.Port, User: "u"})
	if err != nil {
		t.Fatal(err)
	}
	go func() { (<-accepted).Close() }()
	_, err = d.Dial(t.Context())
	if err == nil || err.Error() != "connect: the server closed the connection" || !errors.Is(err, io.EOF) || !mysqld.Lost(err) {
		t.Errorf("closed: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	go func() { <-accepted; cancel(interrupted) }()
	if _, err = d.Dial(ctx); err == nil || err.Error() != "connect: interrupted" {
		t.Errorf("interrupted: %v", err)
	}
}
