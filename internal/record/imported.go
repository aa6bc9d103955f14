package record

// Where a run came from that tare did not measure itself.

import (
	"path/filepath"

	"github.com/tarebench/tare/internal/experiment"
)

// Import says where an imported run came from. It stands in plan.json's place:
// no order was planned, and the reader must know that.
type Import struct {
	Version  int                `json:"version"`
	Format   string             `json:"format"`
	Baseline string             `json:"baseline"`
	Files    []ImportedFile     `json:"files"`
	Margin   float64            `json:"margin"`
	Trials   []experiment.Trial `json:"trials"`
	// Unit is that of throughput, as the program counts it; "" is transactions/s.
	Unit string `json:"unit,omitempty"`
}

// ImportedFile is one file of other people's results.
type ImportedFile struct {
	Arm    string `json:"arm"`
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// ImportFile stands in an imported run's directory in place of a plan.
const ImportFile = "import.json"

// CreateImport makes a run directory for imported results.
func CreateImport(dir string, i Import) error {
	i.Version = Version
	return create(dir, func(dir string) error {
		return writeJSON(filepath.Join(dir, ImportFile), i)
	})
}
