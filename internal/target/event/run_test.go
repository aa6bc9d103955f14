package event

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/internal/experiment"
)

func lasting(n int) experiment.Duration { return experiment.Duration(time.Duration(n) * time.Second) }

// actor writes down what is done to it.
type actor struct {
	done []string
	fail error
}

func (a *actor) Find(named string) (member, primary int, err error) {
	if named == "2" {
		return 0, 1, errors.New("member 2 is not running")
	}
	return 0, 0, nil
}

func (a *actor) Begin(_ context.Context, e Event, _ int) error {
	kind, _ := e.Kind()
	a.done = append(a.done, "begin "+kind)
	return a.fail
}

func (a *actor) End(_ context.Context, e Event, _ int) error {
	kind, _ := e.Kind()
	a.done = append(a.done, "end "+kind)
	return nil
}

func (a *actor) Environment() []string { return []string{"TARE_SERVER_PID=42"} }

func run(ctx context.Context, a *actor, events ...Event) (facts map[string]string, err error) {
	window := make(chan time.Time, 1)
	window <- time.Now()
	s := Schedule{Events: events, Actor: a, Instance: "test", History: &History{}}
	err = s.Run(ctx, window, func(string, string) {})
	facts = map[string]string{}
	for _, f := range s.History.Facts() {
		facts[f.Key] = f.Value + f.Unknown
	}
	return facts, err
}

// TestSchedule: events begin and end at their times, one that cannot be carried out says why, and the next
// takes place.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &actor{}
		facts, err := run(t.Context(), a, Event{At: lasting(2), Pause: "server", For: lasting(3)}, Event{At: lasting(6), Kill: "2"}, Event{At: lasting(7), Restart: "server"})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"begin pause", "end pause", "begin restart"}; !slices.Equal(a.done, want) {
			t.Errorf("%v, want %v", a.done, want)
		}
		for key, want := range map[string]string{"event.1.began_s": "2.000", "event.1.ended_s": "5.000", "event.2.failed": "member 2 is not running", "event.3.began_s": "7.000", "event.3.ended_s": ""} {
			if facts[key] != want {
				t.Errorf("%s is %q, want %q", key, facts[key], want)
			}
		}
	})
}

// TestEndOfTheLoad: an event that lasts is ended when the load ends, and none begins afterwards.
func TestEndOfTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithTimeout(t.Context(), 3*time.Second)
		defer end()
		a := &actor{}
		if _, err := run(ctx, a, Event{At: lasting(2), Pause: "server", For: lasting(10)}, Event{At: lasting(13), Kill: "server"}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"begin pause", "end pause"}; !slices.Equal(a.done, want) {
			t.Errorf("%v, want %v", a.done, want)
		}
	})
}

// TestFailedBegin: an event that fails halfway is ended, and says of which event it is.
func TestFailedBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &actor{fail: errors.New("start mysqld: no such file")}
		_, err := run(t.Context(), a, Event{At: lasting(2), Restart: "server"})
		if err == nil || err.Error() != "event 1: start mysqld: no such file" || !slices.Contains(a.done, "end restart") {
			t.Errorf("%v; %v", err, a.done)
		}
	})
}

// TestCommand: a command's output and exit status are kept, the output within a bound, and it knows the server.
func TestCommand(t *testing.T) {
	command := func(words ...string) map[string]string {
		t.Helper()
		facts, err := run(t.Context(), &actor{}, Event{Command: words, Timeout: lasting(60)})
		if err != nil {
			t.Fatal(err)
		}
		return facts
	}
	if f := command("sh", "-c", "echo out $TARE_SERVER_PID; echo bad >&2; exit 3"); f["event.1.stdout"] != "out 42\n" || f["event.1.stderr"] != "bad\n" || f["event.1.exit"] != "3" || f["event.1.failed"] != "the command ended with exit status 3" {
		t.Errorf("%v", f)
	}
	if f := command("sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x"); f["event.1.stdout"] != strings.Repeat("x", mostOutput) || f["event.1.exit"] != "0" || f["event.1.failed"] != "" {
		t.Errorf("%d bytes are kept; exit %s", len(f["event.1.stdout"]), f["event.1.exit"])
	}
	if f := command("/no/such/program"); !strings.HasPrefix(f["event.1.failed"], "the command was not run: ") {
		t.Errorf("%v", f)
	}
}

// TestEndlessCommand: a command that does not end is killed with its children, and that is said.
func TestEndlessCommand(t *testing.T) {
	file := t.TempDir() + "/child"
	facts, err := run(t.Context(), &actor{}, Event{Command: []string{"sh", "-c", "sleep 1000 & echo $! > " + file + "; wait"}, Timeout: experiment.Duration(200 * time.Millisecond)})
	if err != nil || facts["event.1.failed"] != "the command has not ended after 200ms and was killed" {
		t.Fatalf("%v; %v", facts, err)
	}
	pid, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return // it was killed before it had a child
	}
	if err != nil {
		t.Fatal(err)
	}
	if state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil && !strings.Contains(string(state), ") Z ") {
		t.Errorf("its child runs on: %s", state)
	}
}
