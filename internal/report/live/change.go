package live

// This file is how a server that is watched for longer changes, from span to span.

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/report/language"
)

// WriteChange prints one line with the load of the span, and one for each cause that is
// present in it and was not in the span before, or the other way round.
func (r *Report) WriteChange(w io.Writer, before *Report, at time.Time, l *language.Language) error {
	v := viewOf(r, l)
	line := v.say("watched.span", "time", at.Format(time.TimeOnly), "rate", v.perSecond(), "n", strconv.Itoa(r.Present()))
	if _, err := fmt.Fprintln(w, line); err != nil {
		return err
	}
	for _, c := range r.Causes {
		if c.State == presentState && !before.shows(c.Rule) {
			c = v.cause(c)
			fmt.Fprintf(w, "  %s\n    %s\n", v.say("watched.appeared", "rule", c.Rule, "cause", c.Title), c.Evidence)
			if c.Fix != "" {
				fmt.Fprintf(w, "    %s\n", v.say("explain.fix", "fix", c.Fix))
			}
		}
	}
	for _, c := range before.Causes {
		if c.State == presentState && !r.shows(c.Rule) {
			fmt.Fprintf(w, "  %s\n", v.say("watched.gone-cause", "rule", c.Rule, "cause", v.cause(c).Title))
		}
	}
	return nil
}

// shows says that a rule's cause is present.
func (r *Report) shows(rule string) bool {
	return slices.ContainsFunc(r.Causes, func(c Cause) bool { return c.Rule == rule && c.State == presentState })
}
