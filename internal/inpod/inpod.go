// Package inpod holds the commands that tare runs in pods beside a server: a generator of a load, a neighbour, the
// probes on a node, and the proof that a streamed program is whole.
//
// Two programs have them: tare, and tare-pod, which has nothing else and is streamed in its place. So this
// package imports no client of Kubernetes and nothing of the reading side (TestSmallProgram).
package inpod

// Invalid is an error of the command line or of an input: nothing was started.
type Invalid struct{ Err error }

func (i Invalid) Error() string { return i.Err.Error() }

// Unwrap is what is wrong.
func (i Invalid) Unwrap() error { return i.Err }
