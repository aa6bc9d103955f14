package record

// Why a run stopped (FailureFile), around what a trial of it says.
const (
	PrepareData  Sentence = "prepare data: {why}"
	OfRound      Sentence = "round {n}: {why}"
	OfTrial      Sentence = "trial {n} ({arm}): {why}"
	FailedInARow Sentence = "{n} trials failed in a row, the last one ({trial}, {arm}): {why}"
	SomeFailed   Sentence = "{n} of {trials} trials failed; what was measured is kept"
)

func ofRuns() []Coded {
	return []Coded{{"prepare-data", PrepareData}, {"of-round", OfRound}, {"of-trial", OfTrial}}
}
