package record

// This file is what a trial's record says of other processes of the machine.

import (
	"encoding/json"

	"github.com/tarebench/tare/internal/keys"
)

// Busy is what the processes of one name used.
type Busy struct {
	Name string  `json:"name"`  // as the kernel has it: any bytes, up to 15
	CPU  float64 `json:"cpu_s"` // seconds
}

// Busiest are the other processes that used most of the CPU between the phases start and end, the busiest
// first; nil where the record has none.
func (t *Trial) Busiest() (all []Busy) {
	for _, f := range t.Facts {
		if f.Key == keys.GateBusiest && json.Unmarshal([]byte(f.Value), &all) != nil {
			return nil
		}
	}
	return all
}
