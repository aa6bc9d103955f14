package target

import (
	"context"
	"io"

	"github.com/tarebench/tare/internal/record"
)

// ThisHost is where the load comes from when it does not come from a cluster.
const ThisHost = "this host"

// Load are generators that load the servers of all arms from one place
// (experiment.Load.From). By slices, the trials of a round are loaded at once.
type Load struct {
	// Place is where they are, in words; [LoadFact] has it.
	Place string
	// Cluster is the API server of the cluster that their pods are in.
	Cluster string
	// Generators is how many there are.
	Generators int
	// Check says everything that can be known before anything starts. It changes nothing.
	Check func(ctx context.Context) []error
	// Generate gives every generator the job of a trial and calls line, from several
	// goroutines, with each line that one prints, until all have ended. Instance is the
	// trial's name.
	Generate func(ctx context.Context, instance string, job []byte, line func(number int, text []byte) error) error
	// Facts say where the generators of a trial ran, after its load.
	Facts func(ctx context.Context, instance string) []record.Fact
	// Stop removes what Generate made for a trial; nothing is not an error.
	Stop func(ctx context.Context, instance string) error
	// Resume, Note and Unremoved are those of [Capabilities].
	Resume    func(ctx context.Context, run string, log io.Writer) error
	Note      func(run string) error
	Unremoved func() Unremoved
	// Release removes everything at the end of the run.
	Release func(ctx context.Context) error
	// Render is every object that a trial's load makes in its cluster, as YAML documents.
	Render func() (string, error)
}
