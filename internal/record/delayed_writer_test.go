package record

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// stuck is a device that takes nothing until it is let go.
type stuck struct {
	let chan struct{}
	got bytes.Buffer
	err error
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.let
	if s.err != nil {
		return 0, s.err
	}
	return s.got.Write(p)
}

// TestBehind: nobody waits for a device that takes nothing; when it takes something again,
// all of it is there in its order.
func TestBehind(t *testing.T) {
	device := &stuck{let: make(chan struct{})}
	b := NewBehind(device)
	if b.Held() != 0 {
		t.Error("nothing was written, and the device holds it")
	}
	var want strings.Builder
	for range 1000 {
		line := strings.Repeat("x", want.Len()%7) + "\n"
		want.WriteString(line)
		if n, err := b.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	if b.Held() == 0 {
		t.Error("the device holds a write, and Held does not say so")
	}
	close(device.let)
	if err := b.Flush(); err != nil || device.got.String() != want.String() {
		t.Errorf("%d bytes of %d, %v", device.got.Len(), want.Len(), err)
	}
	if b.Held() != 0 {
		t.Error("everything was written, and the device still holds it")
	}
}

// TestBehindFails: the error of a write is that of the next one and of Flush.
func TestBehindFails(t *testing.T) {
	full := errors.New("no space")
	device := &stuck{let: make(chan struct{}), err: full}
	close(device.let)
	b := NewBehind(device)
	if _, err := b.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); !errors.Is(err, full) {
		t.Errorf("Flush: %v", err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, full) {
		t.Errorf("Write: %v", err)
	}
}

// TestBehindIsBounded: what waits for a device that never takes anything has a limit.
func TestBehindIsBounded(t *testing.T) {
	device := &stuck{let: make(chan struct{})}
	defer close(device.let)
	b := NewBehind(device)
	part := make([]byte, 1<<20)
	for n := 0; ; n += len(part) {
		_, err := b.Write(part)
		if err != nil {
			if n < mostBehind/2 || !strings.Contains(err.Error(), "wait to be written") {
				t.Errorf("after %d bytes: %v", n, err)
			}
			return
		}
		if n > 2*mostBehind {
			t.Fatalf("%d bytes wait", n)
		}
	}
}
