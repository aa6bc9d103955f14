package lock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	if err := Free(second); err != nil {
		t.Errorf("nobody has it: %v", err)
	}
	if err := second.Close(); err != nil { // gives the shared lock up
		t.Fatal(err)
	}
	second = open(t, path)
	if err := Try(first); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func(*os.File) error{"Try": Try, "Free": Free} {
		if err := do(second); !errors.Is(err, ErrHeld) {
			t.Errorf("%s: %v, want ErrHeld", what, err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); err != nil {
		t.Errorf("the first was closed: %v", err)
	}
}

func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	if err := Try(first); err != nil {
		t.Fatal(err)
	}
	why := errors.New("the user gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := Wait(ctx, second, func() { cancel(why) }); !errors.Is(err, ErrHeld) || !errors.Is(err, why) {
		t.Errorf("%v, want ErrHeld and the reason", err)
	}
	waited := 0
	if err := Wait(t.Context(), second, func() { waited++; first.Close() }); err != nil || waited != 1 {
		t.Errorf("%v after %d calls", err, waited)
	}
}
