package summary

import (
	"encoding/json"
	"fmt"
)

// Read reads a report from its JSON.
func Read(b []byte) (*Summary, error) {
	r := &Summary{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	return r, nil
}

// Check refuses a report that lacks what every one has: it may come from another machine.
func (r *Summary) Check() error {
	if r.Version != Version {
		return fmt.Errorf("read report: version %d, this tare reads %d", r.Version, Version)
	}
	if r.Latency.Histogram == nil {
		return fmt.Errorf("read report: no latency histogram")
	}
	if r.Lateness != nil && r.Lateness.Histogram == nil {
		return fmt.Errorf("read report: no histogram of lateness")
	}
	for _, s := range r.Statements {
		if s.Histogram == nil {
			return fmt.Errorf("read report: statement %s has no histogram", s.Name)
		}
	}
	for _, k := range r.Kinds {
		if k.Histogram == nil {
			return fmt.Errorf("read report: kind %s has no histogram", k.Name)
		}
	}
	return nil
}
