// Package fault names the points at which a test can kill tare, so that every step of a
// run is tested.
package fault

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// Variable names a file in the environment, for tests alone. Its first line is
// the point at which the process is to be killed, as "NAME#2" for the second time
// that it is reached, or anything else to kill it nowhere. Every point that is
// reached is added as a line.
const Variable = "TARE_FAULT"

// At is a point. Without [Variable] it does nothing. Otherwise it writes down
// that the point was reached, and where this is the one, the process gets SIGKILL:
// nothing that Go would still do at an exit is done.
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
	if reached == want {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

// note adds the point to the file and returns it as reached, with its count, and
// the one that is wanted.
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
