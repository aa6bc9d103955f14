package runner

// The file of a lock has the number of the process that holds it, so that whoever is refused can be told which one.

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// nameHolder writes the number of this process into the file of a lock that it holds.
func nameHolder(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holderOf names the process that holds a lock, after a colon; "" where it is not known.
func holderOf(file string) string {
	b, err := os.ReadFile(file)
	pid, notNumber := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || notNumber != nil {
		return ""
	}
	if command := commandOf(pid); command != "" {
		return fmt.Sprintf(": process %d (%s)", pid, command)
	}
	return fmt.Sprintf(": process %d", pid)
}

// longestCommand is how much of a command line is shown.
const longestCommand = 80

// commandOf is the command line of a process, "" where it cannot be read.
func commandOf(pid int) string {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return ""
	}
	words, err := p.CmdLine()
	if err != nil {
		return ""
	}
	command := strconv.Quote(strings.Join(words, " "))
	command = command[1 : len(command)-1] // escapes what a terminal would obey
	if len(command) > longestCommand {
		command = command[:longestCommand] + "..."
	}
	return command
}
