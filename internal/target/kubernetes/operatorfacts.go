package kubernetes

// What an operator is, and which options of the server are its own: differences
// between arms that have an owner.

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/record"
)

// who sets what shapes the pod, where it is not the arm.
func (s Settings) whose() string {
	if s.isOperator() {
		return "operator"
	}
	return "manifests"
}

// operatorFacts are the operator's name, the resource's size, and the options that
// the operator, not the experiment, has set.
func (s *server) operatorFacts() []record.Fact {
	d, o, err := s.target.settings.ordered(nil)
	if err != nil {
		return []record.Fact{{Key: keys.OperatorName, Unknown: err.Error()}}
	}
	facts := []record.Fact{
		{Key: keys.OperatorName, Value: d.Title, Source: d.Kind + " " + s.target.id},
		{Key: keys.OperatorResourceSHA256, Value: s.target.resourceSHA256, Source: d.Kind + " " + s.target.id},
		{Key: keys.OperatorMembers, Value: strconv.Itoa(d.MembersOf(s.resource.Object)), Source: d.Fields.Members},
		{Key: keys.OperatorVia, Value: cmp.Or(o.Via, d.Via[0].Name), Source: "experiment.yaml"},
	}
	return append(facts, s.operatorOptions(d, o)...)
}

// operatorOptions are the options that the operator or its image has set, and not the experiment: by what the server
// says of where it has each from and, where it does not say, by what the descriptor knows.
func (s *server) operatorOptions(d operator.Descriptor, o operator.Settings) []record.Fact {
	known := d.SetsIn(s.resource.Object, o)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	origins, err := optionOrigins(ctx, s.Address(), d.Product)
	if err != nil {
		var facts []record.Fact
		for _, set := range known {
			facts = append(facts, record.Fact{Key: keys.OperatorOptionPrefix + set.Option, Value: d.Title, Source: set.Why})
		}
		return append(facts, record.Fact{Key: keys.OperatorOptions, Source: "the server's variables", Unknown: err.Error()})
	}
	return s.optionOwners(d.Title, origins, known)
}

// optionOwners are the facts of the options that the operator or its image has set.
func (s *server) optionOwners(title string, origins map[string]origin, known []operator.Setting) []record.Fact {
	var facts []record.Fact
	for _, name := range slices.Sorted(maps.Keys(origins)) {
		now := origins[name]
		if first, ok := s.target.origins[name]; ok && now.user == s.account.User && first.value == now.value {
			now = first // tare has set it for a session since
		}
		switch s.ownerOf(name, now, known) {
		case ofOperator:
			facts = append(facts, record.Fact{Key: keys.OperatorOptionPrefix + name, Value: title, Source: now.words()})
		case ofImage:
			facts = append(facts, record.Fact{Key: keys.ImageOptionPrefix + name, Value: s.serverContainer().Image, Source: now.words()})
		}
	}
	return facts
}
