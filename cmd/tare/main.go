// Command tare measures what Kubernetes costs a MySQL database, shows which layer causes
// the cost, and removes it.
//
// Standard output is the product, standard error the conversation. Exit codes:
// 0 done, 1 a verdict failed a gate, 2 wrong usage, invalid input or credentials
// that a cluster does not take, 3 the run could not be done, a server or cluster was not available, or the record of a run
// could not be read or written, 128 and the signal's
// number where a signal ended the command: 130 for Ctrl-C, 141 where nobody reads
// its output.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/inpod"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

const (
	exitDone    = 0
	exitGate    = 1
	exitInvalid = 2
	exitFailed  = 3
	exitPipe    = 128 + 13 // as a shell reports of a program that SIGPIPE ended
)

// terminal is what a verb talks to, and the flags that every verb has.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	stateDir string
	color    string
	ascii    bool
	offline  bool                        // check: no cluster, no running server and no registry is asked
	allow    []string                    // what the user lets tare do to machines (see allowFlag)
	verb     atomic.Value                // string: the verb under way, once it has begun
	quiet    bool                        // only results and errors are printed
	loud     io.Writer                   // standard error that --quiet does not silence; nil where err is that
	runs     *atomic.Pointer[runner.Job] // the run that this process carries out; nil: signals are not its own
	follows  atomic.Value                // string: the run in a cluster that is followed, and continues without this process
}

// judged is where the conditions of --fail-if go that are open: they belong to the result.
func (t *terminal) judged() io.Writer {
	if t.loud != nil {
		return t.loud
	}
	return t.err
}

// notes is where notes and the next steps go that are printed beside a result.
func (t *terminal) notes() io.Writer {
	if t.quiet {
		return io.Discard
	}
	return t.out
}

// verbs is the table of everything tare can do, in the order of --help.
func verbs(t *terminal) []*cobra.Command {
	var all []*cobra.Command
	for _, g := range []struct {
		id    string
		verbs []*cobra.Command
	}{
		{groupMeasure, []*cobra.Command{initVerb(t), checkVerb(t), renderVerb(t), runVerb(t), versusVerb(t), fetchVerb(t), demoVerb(t), loadVerb(t), captureVerb(t), probeVerb(t), calibrateVerb(t)}},
		{groupRead, []*cobra.Command{reportVerb(t), explainVerb(t), compareVerb(t), combineVerb(t), historyVerb(t), serveVerb(t), exportVerb(t), importVerb(t), listVerb(t)}},
		{groupFix, []*cobra.Command{lintVerb(t), remedyVerb(t), tuneVerb(t)}},
		{groupMaintain, []*cobra.Command{cleanVerb(t), imageVerb(t), versionVerb(t)}},
		{"", []*cobra.Command{inpod.Neighbour(), packetsVerb(t), manVerb(t), insideVerb(t), packVerb(t), inpod.Digest()}}, // hidden
	} {
		for _, v := range g.verbs {
			v.GroupID = g.id
			all = append(all, v)
		}
	}
	return all
}

func main() {
	cobra.EnableCommandSorting = false // help has the verbs in the order of their use
	os.Exit(run(os.Args[1:], &terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr, runs: new(atomic.Pointer[runner.Job])}))
}

// run is main without the process: it returns the exit code.
func run(args []string, t *terminal) int {
	environment.NoCoreFile()
	ctx, stop := untilSignal(t, endings(), &t.verb, os.Exit)
	defer stop()
	root := rootCommand(t)
	root.SetArgs(args)
	errs := t.err // --quiet silences t.err, not errors
	err := root.ExecuteContext(ctx)
	if ends, ok := endedBy(ctx); ok && err != nil {
		explain(errs, t.asRemoved(asEnded(ends, err), ends))
		return ends.code()
	}
	if t.readerGone(err) {
		if err = besides(t.readerGone, err); err == nil {
			return exitPipe
		}
	}
	if err != nil {
		explain(errs, err)
	}
	return exitCode(err)
}

// readerGone tells whether nobody reads the output any more, as of `tare report RUN | head -1`. The system ends most programs there
// without a word; not those that ignore SIGPIPE, as a service does, and as a verb does that has something to remove first.
func (t *terminal) readerGone(err error) bool {
	var of *fs.PathError
	out, file := t.out.(*os.File)
	return file && errors.As(err, &of) && of.Path == out.Name() && errors.Is(of.Err, syscall.EPIPE)
}

// asEnded is an error that says which signal ended the command, and with the hint of what
// to do next. What went wrong besides is said too.
func asEnded(ends interrupted, err error) error {
	said := error(ends)
	ofEnd := func(e error) bool { return errors.Is(e, context.Canceled) || errors.As(e, new(interrupted)) }
	if more := besides(ofEnd, err); more != nil {
		said = fmt.Errorf("%w: %w", ends, more)
	} else if errors.As(err, &allRemoved{}) {
		said = allRemoved{ends}
	}
	var h hinted
	if errors.As(err, &h) {
		return hinted{said, h.hint}
	}
	return said
}

// besides is what went wrong besides an end: of errors that were joined, those that are not of the end itself. A removal
// that fails after a signal is joined to the error of what the signal ended.
func besides(ofEnd func(error) bool, err error) error {
	if h, ok := err.(hinted); ok { //nolint:errorlint // errors.As would find one in a part too
		return besides(ofEnd, h.error)
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok &&
		err.Error() == errors.Join(all.Unwrap()...).Error() {
		var more []error
		for _, part := range all.Unwrap() {
			more = append(more, besides(ofEnd, part))
		}
		return errors.Join(more...)
	}
	if ofEnd(err) {
		return nil
	}
	return err
}

// rootCommand is `tare` with all its verbs.
func rootCommand(t *terminal) *cobra.Command {
	root := &cobra.Command{
		Use:   "tare",
		Short: "Measure what Kubernetes costs a MySQL database",
		Long: "tare measures what Kubernetes costs a MySQL database. It runs the same server as a process of the host\n" +
			"and in pods, applies the same load to each, and compares throughput and latency with 95% confidence\n" +
			"intervals.\n\n" +
			"Start with `tare init` and `tare run experiment.yaml`, or with `tare demo`.",
		Version:       versionString(),
		SilenceErrors: true,
		SilenceUsage:  true,
		// As cobra has it where it looks for suggestions itself.
		SuggestionsMinimumDistance: 2,
		Args:                       cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, a []string) error {
			if len(a) > 0 {
				return unknownCommand(c, a[0])
			}
			return c.Help()
		},
	}
	// kubectl runs whatever is called kubectl-NAME as `kubectl NAME`.
	if calledByKubectl() {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl tare"}
	}
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(synonyms)
	root.SetUsageFunc(printUsage)
	root.PersistentFlags().StringVar(&t.stateDir, "state", "",
		"directory for prepared data and running servers (default $TARE_STATE, or /var/lib/tare for root)")
	choiceFlag(root, root.PersistentFlags(), &t.color, "color", "", "auto", []string{"auto", "always", "never"}, "color output: auto, always or never")
	root.PersistentFlags().BoolVar(&t.ascii, "ascii", false, "draw with ASCII characters only")
	root.PersistentFlags().BoolVarP(&t.quiet, "quiet", "q", false, "print only results and errors, no progress or notes")
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		t.verb.Store(verbOf(c))
		if t.quiet {
			t.err, t.loud = io.Discard, t.err
		}
	}
	root.AddGroup(verbGroups()...)
	root.AddCommand(verbs(t)...)
	root.SetHelpCommand(helpVerb(root))
	root.SetHelpCommandGroupID(groupMaintain)
	root.SetCompletionCommandGroupID(groupMaintain)
	root.InitDefaultCompletionCmd()
	usageErrors(root)
	return root
}

// verbOf is the verb that a command belongs to: "load" for `tare load prepare`.
func verbOf(c *cobra.Command) string {
	for c.HasParent() && c.Parent().HasParent() {
		c = c.Parent()
	}
	if !c.HasParent() {
		return ""
	}
	return c.Name()
}

// usage is an error of the command line or of an input file: nothing was started.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// begun is an error of a run that had begun: it is none of the input, whatever it says.
type begun struct{ error }

func (b begun) Unwrap() error { return b.error }

// gate is a verdict that did not pass what was asked of it.
type gate struct{ error }

func exitCode(err error) int {
	var problems experiment.Problems
	var problem experiment.Problem
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &gate{}):
		return exitGate
	case errors.As(err, &record.Error{}): // whoever asked for the run: its files are at fault
		return exitFailed
	case errors.As(err, &problems) && problems.Unavailable(), errors.As(err, &problem) && problem.Unavailable:
		return exitFailed
	case errors.As(err, &usage{}), errors.As(err, &inpod.Invalid{}), errors.As(err, &problems), errors.As(err, &problem), errors.As(err, &kubernetes.NotFound{}), errors.As(err, &kubernetes.Lacking{}):
		return exitInvalid
	case kubernetes.Unauthorized(err) && !errors.As(err, &begun{}): // as for other credentials that are not enough
		return exitInvalid
	}
	return exitFailed
}

// explain prints an error with what to do next. Hints live here and nowhere
// else: a library does not know how it was called.
func explain(w io.Writer, err error) {
	fmt.Fprintf(w, "tare: %s\n", safe.Quoted(asCalled(err.Error())))
	var h hinted
	switch {
	case errors.As(err, &h):
		fmt.Fprintf(w, "  %s\n", safe.Quoted(asCalled(h.hint)))
	case errors.As(err, &kubernetes.Unreached{}): // which names the server and the reason
	case missingSocket(err) != "":
		fmt.Fprintf(w, "  %s\n", socketHint(missingSocket(err), serverSockets()))
	case errors.Is(err, syscall.ECONNREFUSED):
		fmt.Fprint(w, "  nothing listens at that address: start the server, or correct the host and the port\n")
	}
}

// hinted is an error with the hint of what to do next.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// args turns cobra's complaint about arguments into a usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if err := check(c, a); err != nil {
			return hinted{usage{inWords(c, err, a)}, "usage: " + c.UseLine()}
		}
		return nil
	}
}

// inWords says cobra's complaint about the number of arguments (its args.go) for a person.
func inWords(c *cobra.Command, err error, given []string) error {
	var n, most int
	scan := func(format string, to ...any) bool {
		read, _ := fmt.Sscanf(err.Error(), format, to...)
		return read == len(to)
	}
	verb := strings.TrimPrefix(c.CommandPath(), c.Root().CommandPath()+" ")
	var takes string
	switch {
	case scan("requires at least %d", &n):
		takes = "needs " + arguments(n) + " or more"
	case scan("accepts at most %d", &n):
		takes = "takes at most " + arguments(n)
	case scan("accepts between %d and %d", &n, &most):
		takes = fmt.Sprintf("takes %d to %s", n, arguments(most))
	case scan("accepts %d", &n):
		takes = "takes " + arguments(n)
	case strings.HasPrefix(err.Error(), "unknown command") && len(given) > 0 && !c.HasSubCommands():
		return fmt.Errorf("%s takes no argument: %s", verb, given[0])
	default:
		return err
	}
	return fmt.Errorf("%s %s, not %d", verb, takes, len(given))
}

func arguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func (t *terminal) state() (runner.State, error) {
	return runner.DefaultState(cmp.Or(t.stateDir, os.Getenv("TARE_STATE")))
}
