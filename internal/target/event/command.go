package event

// A command of the user's as an event: bounded in time, with the beginning of what it prints.

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// mostOutput is how many bytes of each of a command's streams are kept.
const mostOutput = 4096

// output is what a command printed and how it ended.
type output struct {
	stdout, stderr kept
	exit           string
}

// kept is the beginning of a stream.
type kept struct {
	text []byte
	more bool
}

// Write keeps what fits and takes the rest: a command that prints much is not held up.
func (k *kept) Write(b []byte) (int, error) {
	room := min(len(b), mostOutput-len(k.text))
	k.text, k.more = append(k.text, b[:room]...), k.more || room < len(b)
	return len(b), nil
}

func (o *output) facts() (facts []record.Fact) {
	if o == nil {
		return nil
	}
	if o.exit != "" {
		facts = append(facts, record.Fact{Key: "exit", Value: o.exit, Source: "the command"})
	}
	for _, s := range []struct {
		key string
		kept
	}{{"stdout", o.stdout}, {"stderr", o.stderr}} {
		source := "the command"
		if s.more {
			source = "the command; its first " + strconv.Itoa(mostOutput) + " bytes"
		}
		if len(s.text) > 0 {
			facts = append(facts, record.Fact{Key: s.key, Value: string(s.text), Source: source})
		}
	}
	return facts
}

// command runs a command, and ends it with all that it has started where it does not end in time or
// the load does.
func (s Schedule) command(ctx context.Context, began time.Time, e Event, note func(name, detail string)) error {
	out := &output{}
	note("event-began", Command)
	limited, cancel := context.WithTimeout(ctx, e.Timeout.Std())
	defer cancel()
	c := target.Command{Path: e.Command[0], Args: e.Command[1:], Env: s.Actor.Environment(), Stdout: &out.stdout, Stderr: &out.stderr}
	err := target.RunHere(limited, c.Here(limited, s.Instance))
	var exited *exec.ExitError
	switch {
	case ctx.Err() != nil:
		err = errors.New(record.LoadEnded.Say())
	case limited.Err() != nil:
		err = errors.New(record.CommandOverdue.Say(e.Timeout.String()))
	case err == nil:
		out.exit = "0"
	case errors.As(err, &exited):
		out.exit, err = strconv.Itoa(exited.ExitCode()), errors.New(record.CommandExited.Say(strconv.Itoa(exited.ExitCode())))
	default:
		err = record.RunCommand.Wrap(err)
	}
	s.History.change(func(last *happened) { last.output = out })
	s.History.end(time.Since(began), err)
	note("event-ended", Command)
	return nil // a command that failed is a result of its event
}
