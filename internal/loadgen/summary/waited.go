package summary

// This file says that the load generator waited for a CPU.

import "fmt"

// waitedMost is the share of the loops' time that they may wait for a CPU.
const waitedMost = 0.1

// waited says how long the loops waited for a CPU, in a closed loop as in an open one: the answers of all their connections
// were read so much later. It does not make a trial invalid: an experiment compares arms whose generators wait alike.
func (g Generator) waited(seconds float64) string {
	of := seconds * float64(g.Loops)
	if of <= 0 || g.RunQueueSeconds <= waitedMost*of {
		return ""
	}
	return fmt.Sprintf("the load generator waited for a CPU for %.2f s of the %.2f s of its loops (%d); its latencies are longer by these waits", g.RunQueueSeconds, of, g.Loops)
}
