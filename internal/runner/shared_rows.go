package runner

// Rows that several trials share are looked at before each of them: on somebody else's
// server, others can reach them.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tarebench/tare/internal/mysqld"
)

// kept is what the tables of a schema were when their rows had been made.
type kept struct {
	server string            // and schema, by which arms on one server are known
	made   map[string]string // when each table was made
	last   map[string]int64  // the greatest id of those whose primary key is id
}

// keptIn looks at a schema. Counting the rows would read all of them, and change what the
// server has in memory; the greatest key is one page of an index.
func keptIn(ctx context.Context, at mysqld.Address, schema string) (kept, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	s := newSession(ctx, at, schema)
	defer s.close()
	if s.conn == nil || s.tables == nil {
		return kept{}, fmt.Errorf("look at schema %s: no answer", schema)
	}
	id, err := s.uniqueID(ctx)
	if err != nil {
		return kept{}, fmt.Errorf("look at schema %s: %w", schema, err)
	}
	k := kept{server: s.who.name + id + "/" + schema, made: s.tables, last: map[string]int64{}}
	names, err := s.withID(ctx)
	if err != nil {
		return kept{}, fmt.Errorf("look at schema %s: %w", schema, err)
	}
	for _, name := range names {
		var last int64
		if err := s.conn.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM `"+schema+"`.`"+name+"`").Scan(&last); err != nil {
			return kept{}, fmt.Errorf("look at table %s: %w", name, err)
		}
		k.last[name] = last
	}
	return k, nil
}

// uniqueID tells servers apart whose host names, ports and server_id are alike, as those of cloned machines and
// containers: by the id that a server draws when its data directory is made (server_uuid of MySQL, server_uid of
// MariaDB), and by that directory.
func (s *session) uniqueID(ctx context.Context) (id string, err error) {
	rows, err := s.conn.QueryContext(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', 'server_uid', 'datadir')")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return "", err
		}
		id += ":" + value
	}
	return id, rows.Err()
}

// withID are the tables whose primary key is a column id, as those of sysbench are.
func (s *session) withID(ctx context.Context) ([]string, error) {
	rows, err := s.conn.QueryContext(ctx, "SELECT table_name FROM information_schema.columns WHERE table_schema = ? AND column_name = 'id' AND column_key = 'PRI' AND data_type IN ('int', 'bigint')", s.schema)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// share gives what was made for an arm to all arms that are the same schema of the same
// server, by another address for one: theirs was replaced.
func share(all map[string]kept, arm string, made kept) {
	for other, k := range all {
		if k.server == made.server {
			all[other] = made
		}
	}
	all[arm] = made
}

// errChanged is data that are not those that were made for the run.
var errChanged = errors.New("the data have changed since they were made")

// changed says what of the tables is not as it was. More rows than there were are those
// of a workload that inserts.
func (k kept) changed(now kept) error {
	for _, name := range slices.Sorted(maps.Keys(k.made)) {
		switch {
		case name == "tare_lease" || name == "tare_generators": // of no workload
		case now.made[name] == "":
			return fmt.Errorf("%w: table %s is gone", errChanged, name)
		case now.made[name] != k.made[name]:
			return fmt.Errorf("%w: table %s was created again at %s", errChanged, name, now.made[name])
		case now.last[name] < k.last[name]:
			return fmt.Errorf("%w: the greatest id of table %s is %d and was %d", errChanged, name, now.last[name], k.last[name])
		}
	}
	return nil
}

// sameData compares the tables of an arm's server with what was made there.
func (t *trial) sameData(ctx context.Context) error {
	before, ok := t.source.kept[t.plan.Arm]
	if !ok {
		return nil
	}
	at := t.server.Address()
	now, err := keptIn(ctx, at, t.schemaOf(at))
	if err != nil {
		return err
	}
	return before.changed(now)
}
