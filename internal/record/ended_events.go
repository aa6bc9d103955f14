package record

// What became of the events of an arm.
const (
	AtEvent           Sentence = "event {n}: {why}"
	SignalServerEnded Sentence = "signal the server: its process has ended"
	SignalServer      Sentence = "signal the server: {text}"
	StartAgain        Sentence = "start the server again: {why}"
	NotEnded          Sentence = "its process has not ended {time} after the signal"
	NotBack           Sentence = "the server did not answer within {time} after the load; the last event was number {n}"
	NotBackBecause    Sentence = "the server did not answer within {time} after the load; the last event was number {n}; {why}"
	NotBackYet        Sentence = "the server has not come back from the event before"
	DeletePod         Sentence = "delete pod {pod}: {why}"
	CommandOverdue    Sentence = "the command has not ended after {time} and was killed"
	CommandExited     Sentence = "the command ended with exit status {status}"
	StartedAgain      Sentence = "the server was started again, and the counters of its process began at zero"
	RunCommand        Sentence = "the command was not run: {text}"
)

func ofEvents() []Coded {
	return []Coded{
		{"event", AtEvent}, {"signal-server-ended", SignalServerEnded}, {"signal-server", SignalServer}, {"start-again", StartAgain}, {"not-ended", NotEnded},
		{"not-back-yet", NotBackYet}, {"delete-pod", DeletePod}, {"not-back", NotBack}, {"not-back-because", NotBackBecause}, {"command-overdue", CommandOverdue}, {"command-exited", CommandExited}, {"run-command", RunCommand}, {"started-again", StartedAgain},
	}
}
