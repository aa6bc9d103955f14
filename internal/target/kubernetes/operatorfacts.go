package kubernetes

// What an operator is, and which options of the server are its own: differences
// between arms that have an owner.

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld"
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
	return append(facts, s.operatorOptions(d)...)
}

// operatorOptions are the options whose value is neither the server's default nor the
// experiment's: what the server says of where it has each from and, where it does not
// say, what the descriptor knows.
func (s *server) operatorOptions(d operator.Descriptor) []record.Fact {
	found := map[string]record.Fact{}
	for _, set := range d.Sets {
		found[set.Option] = record.Fact{Key: keys.OperatorOptionPrefix + set.Option, Value: d.Title, Source: set.Why}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	origins, err := optionOrigins(ctx, s.Address(), d.Product)
	for option, from := range origins {
		found[option] = record.Fact{Key: keys.OperatorOptionPrefix + option, Value: d.Title, Source: from}
	}
	var facts []record.Fact
	for _, option := range slices.Sorted(maps.Keys(found)) {
		facts = append(facts, found[option])
	}
	if err != nil {
		facts = append(facts, record.Fact{Key: keys.OperatorOptions, Source: "the server's variables", Unknown: err.Error()})
	}
	return facts
}

// optionOrigins are the server's variables that are not its compiled-in defaults, with
// where each comes from (MySQL: performance_schema.variables_info, refman 29.12.14.2;
// MariaDB: information_schema.SYSTEM_VARIABLES).
func optionOrigins(ctx context.Context, at mysqld.Address, product string) (map[string]string, error) {
	query := "SELECT LOWER(VARIABLE_NAME), CONCAT(VARIABLE_SOURCE, ' ', COALESCE(VARIABLE_PATH, '')) FROM performance_schema.variables_info WHERE VARIABLE_SOURCE NOT IN ('COMPILED')"
	if product == "mariadb" {
		query = "SELECT LOWER(VARIABLE_NAME), CONCAT(GLOBAL_VALUE_ORIGIN, ' ', COALESCE(GLOBAL_VALUE_PATH, '')) FROM information_schema.SYSTEM_VARIABLES WHERE GLOBAL_VALUE_ORIGIN NOT IN ('COMPILE-TIME', 'AUTO')"
	}
	db, err := mysqld.Open(at)
	if err != nil {
		return nil, err
	}
	defer func(db *sql.DB) { _ = db.Close() }(db) // only reads would be lost
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("ask where options come from: %w", err)
	}
	defer rows.Close()
	origins := map[string]string{}
	for rows.Next() {
		var name, from string
		if err := rows.Scan(&name, &from); err != nil {
			return nil, fmt.Errorf("ask where options come from: %w", err)
		}
		origins[name] = strings.TrimSpace(from)
	}
	return origins, rows.Err()
}
