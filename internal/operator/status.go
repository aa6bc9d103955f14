package operator

import (
	"fmt"
	"slices"
	"strings"
)

// State is what a resource's status says.
type State struct {
	Ready  bool
	Failed bool
	// Words are the status in one line, for a message.
	Words string
}

// State reads the status of a resource. A status that is older than the resource's
// last change (observedGeneration) is not ready.
func (d Descriptor) State(resource map[string]any) State {
	s := State{Ready: d.Ready.met(resource), Failed: d.Failed.met(resource), Words: d.words(resource)}
	generation, observed := number(look(resource, "metadata.generation")), number(look(resource, "status.observedGeneration"))
	if generation != 0 && observed != 0 && observed < generation {
		s.Ready = false
	}
	return s
}

func (c Condition) met(resource map[string]any) bool {
	return c.said(resource) && (len(c.Equal) == 0 || c.equal(resource))
}

// equal tells whether the two fields of Equal are there and have one value. A status says ONLINE of
// the members that it counts, which need not be all that were asked for.
func (c Condition) equal(resource map[string]any) bool {
	one, other := look(resource, c.Equal[0]), look(resource, c.Equal[1])
	return one != nil && other != nil && fmt.Sprint(one) == fmt.Sprint(other)
}

// said tells whether the condition or the field says so.
func (c Condition) said(resource map[string]any) bool {
	if c.Condition != "" {
		list, _ := look(resource, "status.conditions").([]any) // absent: not met
		for _, item := range list {
			if fields, ok := item.(map[string]any); ok && fields["type"] == c.Condition {
				return fields["status"] == "True"
			}
		}
		return false
	}
	if c.Path == "" {
		return false
	}
	value, ok := look(resource, c.Path).(string)
	return ok && slices.Contains(c.Values, value)
}

// words are the fields that say whether it is ready, and the messages of conditions
// that are not as they should be.
func (d Descriptor) words(resource map[string]any) string {
	var said []string
	if d.Ready.Path != "" {
		if value := look(resource, d.Ready.Path); value != nil {
			said = append(said, fmt.Sprintf("%s is %v", d.Ready.Path, value))
		}
	}
	if len(d.Ready.Equal) > 0 && d.Ready.said(resource) && !d.Ready.equal(resource) {
		for _, path := range d.Ready.Equal {
			if value := look(resource, path); value != nil {
				said = append(said, fmt.Sprintf("%s is %v", path, value))
			}
		}
	}
	list, _ := look(resource, "status.conditions").([]any) // absent: nothing said
	for _, item := range list {
		fields, _ := item.(map[string]any)
		if message, ok := fields["message"].(string); ok && message != "" && fields["status"] != asItShouldBe(fields["type"]) {
			said = append(said, fmt.Sprintf("%v: %s", fields["type"], message))
		}
	}
	switch message := look(resource, "status.message").(type) {
	case string:
		said = append(said, message)
	case []any:
		for _, m := range message {
			said = append(said, fmt.Sprint(m))
		}
	}
	if len(said) == 0 {
		return "its status is empty"
	}
	return strings.Join(said, "; ")
}

// abnormal are parts of the types of conditions that are true when something is wrong: Error,
// ReconcileFailed, ReplicaFailure, Degraded. All other types are true when all is well (API
// conventions of Kubernetes, "Typical status properties": either is allowed).
var abnormal = []string{"error", "fail", "degraded"}

// asItShouldBe is the status of a condition of this type whose message is not needed.
func asItShouldBe(kind any) string {
	name := strings.ToLower(fmt.Sprint(kind))
	if slices.ContainsFunc(abnormal, func(part string) bool { return strings.Contains(name, part) }) {
		return "False"
	}
	return "True"
}

func number(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}
