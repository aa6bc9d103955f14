// Events where there is no terminal: one line each, for logs and for programs.

package progress

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// event writes one event as JSON or as key=value; a terminal is shown the lines of
// view instead. docs/watching.md is its contract.
func (p *Progress) event(name string, pairs ...any) {
	now := time.Now()
	p.said = now
	switch {
	case p.Live:
	case p.JSON:
		m := map[string]any{"event": name, "time": now.UTC().Format(time.RFC3339)}
		for i := 0; i+1 < len(pairs); i += 2 {
			m[fmt.Sprint(pairs[i])] = pairs[i+1]
		}
		b, err := json.Marshal(m)
		if err != nil {
			panic(err) // strings and numbers always encode
		}
		fmt.Fprintf(p.Out, "%s\n", b)
	default:
		line := "time=" + now.Format("15:04:05") + " event=" + name
		for i := 0; i+1 < len(pairs); i += 2 {
			value := fmt.Sprint(pairs[i+1])
			if strings.ContainsAny(value, " \"=\n") {
				value = fmt.Sprintf("%q", value)
			}
			line += fmt.Sprintf(" %v=%s", pairs[i], value)
		}
		fmt.Fprintln(p.Out, line)
	}
}
