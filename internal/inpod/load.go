package inpod

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/loadgen"
)

// LoadPart is what a load pod runs, `load part`: one generator of several, whose job is in
// a file and whose number is in the environment, where an Indexed Job puts it.
// Without a file the job is in the environment too: a container that is added to a
// pod that runs can have no volume that the pod had not.
func LoadPart() *cobra.Command {
	return &cobra.Command{
		Use: "part [FILE]", Short: "Run one generator of a load that tare has spread over pods", Hidden: true,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, a []string) error {
			job := []byte(os.Getenv("TARE_JOB"))
			if len(a) > 0 {
				var err error
				if job, err = os.ReadFile(a[0]); err != nil {
					return Invalid{err}
				}
			}
			number, err := strconv.Atoi(os.Getenv("JOB_COMPLETION_INDEX"))
			if err != nil {
				return Invalid{fmt.Errorf("read JOB_COMPLETION_INDEX: %w", err)}
			}
			return loadgen.RunPart(c.Context(), job, number, c.OutOrStdout())
		},
	}
}
