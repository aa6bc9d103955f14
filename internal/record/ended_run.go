package record

// Why a run stopped (FailureFile), around what a trial of it says.
const (
	PrepareData  Sentence = "prepare data: {why}"
	OfRound      Sentence = "round {n}: {why}"
	OfArm        Sentence = "arm {arm}: {why}"
	OfTrial      Sentence = "trial {n} ({arm}): {why}"
	FailedInARow Sentence = "{n} trials failed in a row, the last one ({trial}, {arm}): {why}"
	FailedAlways Sentence = "trial {trial} ({arm}) failed, and each other attempt would: {why}"
	FailedAlike  Sentence = "{n} trials of one arm failed in a row for the same reason, the last one ({trial}, {arm}): {why}; correct the experiment and start a new run where the reason is in it"
	SomeFailed   Sentence = "{n} of {trials} trials failed; what was measured is kept"
)

func ofRuns() []Coded {
	return []Coded{{"prepare-data", PrepareData}, {"of-round", OfRound}, {"of-arm", OfArm}, {"of-trial", OfTrial}}
}
