package record

// AtRate is the window at the run's fixed rate, an open loop after the measured window of a closed
// one, on the same server. Latencies count from when a transaction was due.
type AtRate struct {
	// Rate is what was offered, in transactions per second.
	Rate float64 `json:"rate"`
	// Outcome is Measured, Starved or ServerLost, Reason why: they are of this window alone.
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
	Counts  Counts  `json:"counts"`
	// Uncounted are the transactions that ended in lead-ins of slices, or after them.
	Uncounted int64 `json:"uncounted,omitempty"`
	// Due are the transactions that fell due, Unsent those among them that no connection had become
	// free for at the end.
	Due     int64    `json:"due"`
	Unsent  int64    `json:"unsent"`
	Latency *Latency `json:"latency,omitempty"`
	// Lateness is the 99th percentile of how late transactions were sent although a connection was
	// free, in milliseconds: the generator's delay.
	Lateness float64 `json:"lateness_p99_ms"`
	// Generator says why the generator was the limit, and Code in a word; "" where it was not.
	Generator string `json:"generator,omitempty"`
	Code      string `json:"generator_code,omitempty"`
}
