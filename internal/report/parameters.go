package report

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/report/safe"
)

// Parameter is a server parameter that decides much, in every arm.
type Parameter struct {
	Name string `json:"name"`
	// Values by arm; an arm whose servers have no such variable, or were not read, is left out.
	Values  map[string]ParameterValue `json:"values"`
	Differs bool                      `json:"differs"`
}

// ParameterValue is what an arm's servers had.
type ParameterValue struct {
	Value string `json:"value"` // as the server prints it
	// Owner is who decided it: arm, experiment, operator, image, replication, external, manifests, or
	// server for a default. Operator is the name of the operator, else left out.
	Owner    string `json:"owner"`
	Operator string `json:"operator,omitempty"`
}

func parameters(all []compare.Parameter) []Parameter {
	var out []Parameter
	for _, p := range all {
		made := Parameter{Name: text(p.Name), Values: map[string]ParameterValue{}, Differs: p.Differs}
		for arm, v := range p.Values {
			made.Values[text(arm)] = ParameterValue{Value: text(v.Value), Owner: text(v.Owner), Operator: text(v.Title)}
		}
		out = append(out, made)
	}
	return out
}

// ParameterOf is an arm's value of a parameter with who decided it: 2 GiB (arm).
func (doc *Document) ParameterOf(arm string, p Parameter) string {
	v, ok := p.Values[arm]
	if !ok {
		return doc.Say("cell.not-known")
	}
	return doc.Say("parameter.value", "value", doc.ValueOf(arm, keys.MySQLVariablePrefix+p.Name, v.Value), "owner", doc.OwnerOf(v))
}

// OwnerOf is who decided a value.
func (doc *Document) OwnerOf(v ParameterValue) string {
	if v.Operator != "" {
		return safe.Name(v.Operator)
	}
	return doc.Say("owner." + v.Owner)
}
