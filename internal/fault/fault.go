// Package fault names the points at which a test can kill tare, so that every step of a
// run is tested.
package fault

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Variable names a file in the environment, for tests alone. Its first line says where
// the process is killed: at "NAME#2", the second time that the point is reached. Any
// other text kills it nowhere. After [Stop], the line is a list of points, separated by
// "; ", at which the process stops until it gets SIGCONT, each time that one of them is
// reached: a test can then kill another process at that step. Every point that is
// reached is added as a line.
const Variable = "TARE_FAULT"

// Stop begins a first line whose points stop the process instead of killing it.
const Stop = "stop: "

// At is a point. Without [Variable] it does nothing. Otherwise it writes down
// that the point was reached, and where this is the one, the process gets SIGKILL, or
// SIGSTOP: nothing that Go would still do at an exit is done.
//
// What was reached is counted in the file and not in this package, which has no
// state of its own.
func At(point string) {
	file := os.Getenv(Variable)
	if file == "" {
		return
	}
	reached, want, err := note(file, point)
	if err != nil {
		panic(fmt.Sprintf("fault point %s: %v", point, err)) // a test that is set up wrongly
	}
	if points, stops := strings.CutPrefix(want, Stop); stops && slices.Contains(strings.Split(points, "; "), point) {
		stop()
	}
	if reached == want {
		kill()
		select {} // the signal is on its way
	}
}

// note adds the point to the file and returns it as reached, with its count, and
// the requested one.
func note(file, point string) (reached, want string, err error) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	if _, err := f.WriteString(point + "\n"); err != nil {
		return "", "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	lines := bytes.Split(text, []byte("\n"))
	count := 0
	for _, line := range lines[1:] {
		if string(line) == point {
			count++
		}
	}
	return fmt.Sprintf("%s#%d", point, count), string(lines[0]), nil
}
