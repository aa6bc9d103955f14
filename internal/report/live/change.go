package live

// This file is how a server that is watched for longer changes, from span to span.

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/report/safe"
)

// WriteChange prints one line with the load of the span, and one for each cause that it
// confirms and the span before did not, or the other way round.
func (r *Report) WriteChange(w io.Writer, before *Report, at time.Time) error {
	if _, err := fmt.Fprintf(w, "%s: %.1f %ss/s, confirmed causes: %d\n", at.Format(time.TimeOnly), float64(r.Rate), r.Unit, r.Confirmed()); err != nil {
		return err
	}
	for _, c := range r.Causes {
		if c.State == ConfirmedState && !before.confirms(c.Rule) {
			fmt.Fprintf(w, "  appeared: %s: %s\n    %s\n", c.Rule, safe.Name(c.Title), safe.Name(c.Evidence))
			if c.Fix != "" {
				fmt.Fprintf(w, "    Fix: %s\n", safe.Name(c.Fix))
			}
		}
	}
	for _, c := range before.Causes {
		if c.State == ConfirmedState && !r.confirms(c.Rule) {
			fmt.Fprintf(w, "  no longer confirmed: %s: %s\n", c.Rule, safe.Name(c.Title))
		}
	}
	return nil
}

// confirms says that a rule's cause is confirmed.
func (r *Report) confirms(rule string) bool {
	return slices.ContainsFunc(r.Causes, func(c Cause) bool { return c.Rule == rule && c.State == ConfirmedState })
}
