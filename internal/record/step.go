package record

// What a Step is for.
const (
	// StepClosed is a closed loop: the throughput that the search begins from.
	StepClosed = "closed"
	// StepSearch is a rate of the search.
	StepSearch = "search"
	// StepBeyond is the overload after the window.
	StepBeyond = "beyond"
)

// Step is one load of a trial that searches for the capacity, beside its window.
type Step struct {
	Number  int    `json:"step"` // from 1
	Purpose string `json:"purpose"`
	// Rate is what was offered, in transactions per second; 0 in a closed loop.
	Rate float64 `json:"rate,omitempty"`
	// Seconds is the measured part of the step, and Counts are those of it.
	Seconds float64 `json:"seconds"`
	Counts  Counts  `json:"counts"`
	// Due are the transactions that fell due, Unsent those among them that no connection
	// became free for.
	Due    int64 `json:"due,omitempty"`
	Unsent int64 `json:"unsent,omitempty"`
	// Percentile (0 to 100) is that of the search, Latency its value in milliseconds; 0
	// where nothing was answered.
	Percentile float64 `json:"percentile"`
	Latency    float64 `json:"latency_ms,omitempty"`
	// Kept says that the limit was kept.
	Kept bool `json:"kept,omitempty"`
	// Generator says why the generator may have been the limit; "" where nothing points
	// to that.
	Generator string `json:"generator,omitempty"`
	// Lost is how the server was lost in the step, "" where it was not.
	Lost string `json:"lost,omitempty"`
}

// Throughput is the transactions per second that were completed.
func (s Step) Throughput() float64 {
	if s.Seconds <= 0 {
		return 0
	}
	return float64(s.Counts.Transactions) / s.Seconds
}

// Capacity is what a search found.
type Capacity struct {
	// Rate is the highest rate, in transactions per second, at which the percentile stays
	// at or below the limit.
	Rate float64 `json:"rate"`
	// Low and High are the rates between which steps were kept at times: up to Low all
	// were, from High on none. Low 0 and High 0 are not known.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
	// Percentile (0 to 100) and Limit, in milliseconds, are those of the experiment.
	Percentile float64 `json:"percentile"`
	Limit      float64 `json:"limit_ms"`
	// Within is the resolution of the search, a ratio.
	Within float64 `json:"within"`
}
