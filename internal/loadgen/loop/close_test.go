package loop

import (
	"context"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// TestCloseLeavesNothing: an attempt to connect again ends with its loop, and a stop that
// comes after the end writes to no descriptor, which could be another's by then.
func TestCloseLeavesNothing(t *testing.T) {
	p, err := workload.Build("oltp_point_select", workload.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	begun, ended := make(chan bool), make(chan bool, 1)
	j := &Job{Program: p, Connections: 1, Dial: func(ctx context.Context) (*wire.Session, error) {
		begun <- true
		<-ctx.Done() // a server that does not answer
		ended <- true
		return nil, ctx.Err()
	}}
	l, err := newLoop(j, 0, 1, &budget{}, make(chan handover, 1))
	if err != nil {
		t.Fatal(err)
	}
	c := newConnection(p, 0, 0, p.NewDraws(1, 0))
	c.state = gone
	l.redial(c)
	<-begun
	l.close()
	select {
	case <-ended:
	default:
		t.Error("an attempt to connect goes on after the loop's end")
	}
	// Another descriptor gets the number of the one that the loop is woken by.
	other := -1
	for other != l.wake {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			t.Fatal(err)
		}
		if fd > l.wake {
			t.Skip("another test has taken the number")
		}
		defer unix.Close(fd)
		other = fd
	}
	l.stop()
	var count [8]byte
	if _, err := unix.Read(other, count[:]); err != unix.EAGAIN {
		t.Errorf("a stop after the end was written to another's descriptor: %v %v", count, err)
	}
}
