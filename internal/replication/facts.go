package replication

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// factsWithin bounds the questions to one member: one that hangs is a fact too.
const factsWithin = 10 * time.Second

// value is one fact of a member.
type value struct {
	key, text, source string
	// settled: it is the same for as long as the database runs, and is read at the start
	// alone.
	settled bool
}

// Facts are how the database is set up and, member by member, in what state it is: who
// takes writes, how far the others are behind, and what the servers count of replication.
func (d *Database) Facts(ctx context.Context, phase string) []record.Fact {
	var facts []record.Fact
	if phase == "start" {
		facts = d.settingFacts()
	}
	all, err := d.open()
	defer closeAll(all)
	for number := 1; number <= len(d.hosts); number++ {
		facts = append(facts, d.memberFacts(ctx, all, number, phase, err)...)
	}
	for i := range facts {
		facts[i].Phase = phase
	}
	return facts
}

// settingFacts are what was asked for. The options are those of the member that takes the
// load, whose variables are recorded.
func (d *Database) settingFacts() []record.Fact {
	const source = "experiment.yaml"
	facts := []record.Fact{
		{Key: keys.ReplicationMode, Value: d.settings.Mode, Source: source},
		{Key: keys.ReplicationMembers, Value: fmt.Sprint(d.settings.Members), Source: source},
		{Key: keys.ReplicationWriters, Value: d.settings.Writers, Source: source},
	}
	options := d.Options(1)
	for _, name := range slices.Sorted(maps.Keys(options)) {
		facts = append(facts, record.Fact{Key: keys.ReplicationOptionPrefix + strings.TrimPrefix(name, "loose_"), Value: options[name], Source: "options file of member 1"})
	}
	return facts
}

func (d *Database) memberFacts(ctx context.Context, all []*sql.DB, number int, phase string, err error) []record.Fact {
	ctx, cancel := context.WithTimeout(ctx, factsWithin)
	defer cancel()
	prefix := fmt.Sprintf(keys.ReplicationMemberPrefix+"%d.", number)
	var values []value
	if err == nil {
		values, err = d.mode.facts(ctx, d, all, number)
	}
	if err != nil {
		return []record.Fact{{Key: prefix + "state", Source: d.hosts[number-1], Unknown: err.Error()}}
	}
	var facts []record.Fact
	for _, v := range values {
		if phase == "start" || !v.settled {
			facts = append(facts, record.Fact{Key: prefix + v.key, Value: v.text, Source: v.source})
		}
	}
	return facts
}

// table is what a query returns, NULL as "".
func table(ctx context.Context, db *sql.DB, query string, args ...any) ([]map[string]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all []map[string]string
	for rows.Next() {
		cells, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]string{}
		for i, name := range columns {
			row[name] = cells[i].String
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// oneRow is the first row of what a query returns.
func oneRow(ctx context.Context, db *sql.DB, query string, args ...any) (map[string]string, error) {
	rows, err := table(ctx, db, query, args...)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("the server has no row for it")
	}
	return rows[0], nil
}

// statusLike are status counters, by their names in lower case.
func statusLike(ctx context.Context, db *sql.DB, pattern string) (map[string]string, error) {
	rows, err := table(ctx, db, fmt.Sprintf("SHOW GLOBAL STATUS LIKE '%s'", pattern))
	if err != nil {
		return nil, err
	}
	status := map[string]string{}
	for _, r := range rows {
		status[strings.ToLower(r["Variable_name"])] = r["Value"]
	}
	return status, nil
}
