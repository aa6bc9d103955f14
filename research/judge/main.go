// Command judge says whether measurements of research show what they must, by tare's own results (tare report --format
// json) and nothing else.
//
//	judge alarm RESULT                    one campaign of equal arms: its interval, ALARM where it does not contain 0
//	judge dose|factors|capacity RESULT    controls whose truth is known (research/controls.sh)
//	judge cpus|wait|name RESULT           what the blind test draws from, and the cause that it names
//	judge captured OUT                    a quota's cost by a built-in and by a captured workload
//	judge lengths|freezing OUT            slices of other lengths, and without freezing
//	judge protocols OUT                   slices against windows
//	judge live OUT                        which faults tare explain --live named
//	judge equal-trials RUN...             the trials of equal arms as a table
//
// The exit status is 1 where something is not shown, 2 where it cannot be read.
package main

import (
	"fmt"
	"io"
	"os"
)

// verdict prints what it found and says whether everything that must be shown is.
type verdict func(out io.Writer, args []string) (shown bool, err error)

// verdicts by the first argument.
func verdicts() map[string]verdict {
	return map[string]verdict{
		"alarm": ofResult(alarm), "dose": ofResult(dose), "factors": ofResult(factors), "capacity": ofResult(capacity),
		"cpus": ofResult(knownCPUs), "wait": ofResult(knownWait), "name": ofResult(nameCause),
		"captured": ofDirectory(captured), "protocols": ofDirectory(protocols), "live": ofDirectory(liveFaults),
		"lengths": ofDirectory(lengths), "freezing": ofDirectory(freezing),
		"equal-trials": equalTrials,
	}
}

func main() {
	if len(os.Args) < 3 {
		usage()
	}
	judge, ok := verdicts()[os.Args[1]]
	if !ok {
		usage()
	}
	shown, err := judge(os.Stdout, os.Args[2:])
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "judge %s: %v\n", os.Args[1], err)
		os.Exit(2)
	case !shown:
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: judge VERDICT FILE... (the comment of research/judge/main.go lists the verdicts)")
	os.Exit(2)
}
