package record

import (
	"regexp"
	"slices"
	"strings"
)

// Sentence is what tare itself says of how a trial ended, of what happened to a member of a
// database, or of why a fact is unknown: English with {name} in the place of each argument. The
// record has the text with its arguments, and the reading side finds the sentence again
// (compare.Ended), so that a report says it in another language. What another program says is
// an argument, and stays as it is.
//
// A code beside the text was rejected: a reader refuses fields that it does not know, so an
// earlier tare would call such a trial incomplete and measure it again, and trials that were
// recorded before would have none.
type Sentence string

// The steps in which a trial failed.
const (
	AtStart    Sentence = "start: {why}"
	AtRecord   Sentence = "record: {why}"
	AtLoad     Sentence = "load: {why}"
	AtOverload Sentence = "overload: {why}"
	AtVerify   Sentence = "verify the data: {why}"
	RunLoad    Sentence = "run load: {why}"
	// ClocksDiffer: turns by clocks that may differ by more than lies between them.
	ClocksDiffer Sentence = "the clocks of load pod and tare may differ by {ms} ms, and of two pods by twice that, while turns are {guard} apart; run the load pods of all arms on one node, where they share a clock (clientNode, or nodeSelector of load.from), write kind: windows under protocol, or send the load from the host of tare"
	Uncleaned    Sentence = "could not be cleaned up: {text}"
	// AndUncleaned is Uncleaned after another reason.
	AndUncleaned Sentence = "{first}; could not be cleaned up: {text}"
)

// How a server was not ready, or was lost.
const (
	NoAnswer        Sentence = "the server did not answer within {time}"
	DiedBeforeReady Sentence = "server died before it was ready: {why}"
	Hung            Sentence = "the server hung: it answered nothing for {time}"
	HungProcess     Sentence = "the server hung: it answered nothing for {time}; its process is {state}"
	HungSaying      Sentence = "the server hung: it answered nothing for {time}; {why}"
	ProcessStopped  Sentence = "stopped (SIGSTOP)"
	ProcessTraced   Sentence = "stopped by a tracer"
	ProcessOnDevice Sentence = "waiting for a device"
	Exited          Sentence = "mysqld has ended: {how}"
	ExitedWithLog   Sentence = "mysqld has ended: {how}; its last lines:\n{log}"
	InContainer     Sentence = "mysqld has ended in its container: {how}"
	InContainerLog  Sentence = "mysqld has ended in its container: {how}; its last lines:\n{log}"
	KilledForMemory Sentence = "the kernel ended mysqld because its container reached its memory limit of {limit} MiB ({how})"
	// KilledByProbe is the end of a container by the kubelet.
	KilledByProbe Sentence = "the kubelet ended mysqld because its {probe} probe failed ({text})"
	// Said is an end, and what the server said of it.
	Said            Sentence = "{first}; it said: {text}"
	WhileMaking     Sentence = "while the data were made, {why}"
	KilledNoLimit   Sentence = "the kernel ended mysqld because memory ran out; its container has no memory limit ({how})"
	MemberLost      Sentence = "member {n}: {why}"
	ContainerExited Sentence = "the container ended: {reason}, exit status {status}; restarted {n} times"
	ContainerSignal Sentence = "the container ended: {reason}, signal {signal}; restarted {n} times"
	SharedGone      Sentence = "the server of trial {n}, which this one shares, does not run: {why}"
	PodFailed       Sentence = "the pod failed: {text}"
	PodGone         Sentence = "pod {pod} is gone"
	PodReplaced     Sentence = "pod {pod} was created again"
	Silent          Sentence = "{place} does not answer: {text}"
	OtherServer     Sentence = "the load reached a different server: {was} before, {now} now"
	Restarted       Sentence = "the server was restarted {seconds} s ago: its connections were lost"
	TablesLost      Sentence = "the schema {schema} was lost: {tables} were dropped or created again during the load"
	MoreTablesLost  Sentence = "the schema {schema} was lost: {tables} and {n} more were dropped or created again during the load"
)

// How a load ended without figures.
const (
	Overdue          Sentence = "the load did not end within {time}"
	Unreachable      Sentence = "the load could not connect to the server again: {text}"
	NothingCompleted Sentence = "no transaction was completed in {seconds} s"
	NothingCommitted Sentence = "no transaction was committed in the window of {seconds} s"
	StoppedAnswering Sentence = "the server has completed no transaction in the last {seconds} s of the window"
	SysbenchOverdue  Sentence = "sysbench did not end by itself within {seconds} s after the window and was killed"
	SysbenchGaveUp   Sentence = "sysbench gave up: {text}"
	Inconsistent     Sentence = "the data are inconsistent: {condition}; does not hold in {n} places: {text}"
	RunSysbench      Sentence = "run sysbench: {text}"
	LimitKept        Sentence = "no capacity: {limit} was kept at every rate up to {rate} transactions/s"
	LimitMissed      Sentence = "no capacity: {limit} was missed at every rate down to {rate} transactions/s"
)

// Why a stream is incomplete.
const (
	StreamEmpty   Sentence = "the stream is empty"
	StreamNoEnd   Sentence = "the stream has no end"
	StreamChanged Sentence = "the checksum does not match: the stream was changed or damaged"
	StreamLine    Sentence = "line {n}: {why}"
	LineCut       Sentence = "damaged: cut off"
	LineTooLong   Sentence = "damaged: longer than {n} bytes"
	LineHeader    Sentence = "a stream has one header, on its first line"
	LineAfterEnd  Sentence = "a line follows the end of the stream"
	LineUnknown   Sentence = "a line has no known field"
)

// slot is the place of an argument.
var slot = regexp.MustCompile(`\{([a-z]+)\}`)

// Say is the sentence with its arguments, in the order of their places.
func (s Sentence) Say(arguments ...string) string {
	return slot.ReplaceAllStringFunc(string(s), func(place string) string {
		if len(arguments) == 0 {
			return place
		}
		next := arguments[0]
		arguments = arguments[1:]
		return next
	})
}

// Error is the sentence as an error that is also cause, which the sentence names.
func (s Sentence) Error(cause error, arguments ...string) error {
	return saidError{s.Say(arguments...), cause}
}

// Wrap is the sentence as an error that is also err, whose text takes the place of {why}, {text} or
// {first}; the arguments are those of the other places.
func (s Sentence) Wrap(err error, arguments ...string) error {
	at := slices.IndexFunc(s.Slots(), func(name string) bool { return name == "why" || name == "text" || name == "first" })
	return s.Error(err, slices.Insert(slices.Clone(arguments), at, err.Error())...)
}

type saidError struct {
	text  string
	cause error
}

func (e saidError) Error() string { return e.text }
func (e saidError) Unwrap() error { return e.cause }

// Slots are the names of the arguments.
func (s Sentence) Slots() (all []string) {
	for _, place := range slot.FindAllString(string(s), -1) {
		all = append(all, strings.Trim(place, "{}"))
	}
	return all
}

// Coded is a sentence with the code that the tables of languages have it by.
type Coded struct {
	Code string
	Sentence
}

// Sentences are all of them. One that says more comes before one that a text of it matches
// as well, and those that begin with an argument, which can be any text, are the last.
func Sentences() []Coded {
	return slices.Concat(endings(), ofRuns(), ofEvents(), ofMembers(), ofStarts(), ofClusters(), ofUnknowns(), beginningWithArguments())
}

func endings() []Coded {
	return []Coded{
		{"and-uncleaned", AndUncleaned}, {"uncleaned", Uncleaned},
		{"start", AtStart}, {"failed-always", FailedAlways}, {"record", AtRecord}, {"load", AtLoad}, {"overload", AtOverload}, {"verify", AtVerify}, {"run-load", RunLoad}, {"clocks-differ", ClocksDiffer},
		{"no-answer", NoAnswer}, {"died", DiedBeforeReady},
		{"hung-process", HungProcess}, {"hung-saying", HungSaying}, {"hung", Hung},
		{"process-stopped", ProcessStopped}, {"process-traced", ProcessTraced}, {"process-on-device", ProcessOnDevice},
		{"killed-for-memory", KilledForMemory}, {"killed-no-limit", KilledNoLimit}, {"killed-by-probe", KilledByProbe}, {"while-making", WhileMaking}, {"in-container-log", InContainerLog}, {"in-container", InContainer},
		{"exited-log", ExitedWithLog}, {"exited", Exited}, {"member", MemberLost}, {"shared-gone", SharedGone},
		{"container", ContainerExited}, {"container-signal", ContainerSignal}, {"pod-failed", PodFailed}, {"pod-gone", PodGone}, {"pod-replaced", PodReplaced},
		{"other-server", OtherServer}, {"restarted", Restarted}, {"more-tables-lost", MoreTablesLost}, {"tables-lost", TablesLost},
		{"overdue", Overdue}, {"unreachable", Unreachable}, {"nothing-completed", NothingCompleted}, {"nothing-committed", NothingCommitted},
		{"stopped-answering", StoppedAnswering}, {"sysbench-overdue", SysbenchOverdue}, {"sysbench-gave-up", SysbenchGaveUp}, {"run-sysbench", RunSysbench}, {"inconsistent", Inconsistent},
		{"limit-kept", LimitKept}, {"limit-missed", LimitMissed},
		{"stream-empty", StreamEmpty}, {"stream-no-end", StreamNoEnd}, {"stream-changed", StreamChanged}, {"stream-line", StreamLine},
		{"line-cut", LineCut}, {"line-too-long", LineTooLong}, {"line-header", LineHeader}, {"line-after-end", LineAfterEnd}, {"line-unknown", LineUnknown},
	}
}

func beginningWithArguments() []Coded {
	return []Coded{
		{"failed-in-a-row", FailedInARow}, {"failed-alike", FailedAlike}, {"some-failed", SomeFailed},
		{"no-kind", NoKind}, {"operator-failed", OperatorFailed}, {"operator-late", OperatorLate}, {"other-run", OtherRun}, {"no-secret", NoSecret},
		{"said", Said}, {"with-advice", WithAdvice}, {"no-namespace", NoNamespace}, {"no-permission", NoPermission}, {"no-network-right", NoNetworkRight}, {"no-credentials", NoCredentials}, {"own-secret", OwnSecret},
		{"no-schema", NoSchema}, {"container-waits", ContainerWaits},
		{"silent", Silent},
	}
}
