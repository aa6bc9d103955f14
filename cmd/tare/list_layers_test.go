package main

import (
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/layer"
)

// TestNamedLayersAreListed: what attribute: layers knows by name stands in one
// row of tare list layers, and what that shows can be written.
func TestNamedLayersAreListed(t *testing.T) {
	rows := map[string]int{}
	for _, l := range layer.All(nil) {
		if l.Attribute != "" {
			rows[l.Attribute]++
		}
	}
	for _, k := range experiment.KnownLayers() {
		if rows[k.Name] != 1 {
			t.Errorf("%s stands in %d rows", k.Name, rows[k.Name])
		}
		delete(rows, k.Name)
	}
	for name := range rows {
		t.Errorf("%s is shown and not known", name)
	}
}
