package replication

// MySQL Group Replication.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// groupID names the group: every trial's has a network of its own, and one name is one
// setting less that differs between trials.
const groupID = "5f7a6d3e-7461-4265-a265-6e6368000001"

// groupPort is where the members' group communication answers.
const groupPort = 33061

func (d *Database) groupAddress(number int) string {
	return fmt.Sprintf("%s:%d", d.hosts[number-1], groupPort)
}

// groupOptions name the group and its members. The group is not started with the server:
// the first member makes it, and the others come when it is there.
func groupOptions(d *Database, number int) map[string]string {
	var seeds []string
	for i := range d.hosts {
		seeds = append(seeds, d.groupAddress(i+1))
	}
	single := "ON"
	if d.settings.Writers == AllWriters {
		single = "OFF"
	}
	const prefix = "loose_group_replication_" // the plugin brings the options
	return map[string]string{
		"plugin_load_add":                  "group_replication.so",
		prefix + "group_name":              groupID,
		prefix + "local_address":           d.groupAddress(number),
		prefix + "group_seeds":             strings.Join(seeds, ","),
		prefix + "start_on_boot":           "OFF",
		prefix + "bootstrap_group":         "OFF",
		prefix + "single_primary_mode":     single,
		prefix + "ip_allowlist":            strings.Join(d.hosts, ","),
		prefix + "recovery_get_public_key": "ON",
	}
}

// joinGroup has the first member make the group, so that it is its primary, and the
// others join in their order. They have executed what it has, so that nothing is copied.
func joinGroup(ctx context.Context, d *Database, all []*sql.DB) error {
	credentials := fmt.Sprintf("START GROUP_REPLICATION USER = '%s', PASSWORD = '%s'", account, d.password)
	for i, db := range all {
		if err := run(ctx, db, d.cleanSlate("REPLICATION SLAVE, CONNECTION_ADMIN, BACKUP_ADMIN, GROUP_REPLICATION_STREAM")...); err != nil {
			return fmt.Errorf("member %d: %w", i+1, err)
		}
		statements := []string{credentials}
		if i == 0 {
			statements = []string{"SET GLOBAL group_replication_bootstrap_group = ON", credentials, "SET GLOBAL group_replication_bootstrap_group = OFF"}
		}
		if err := run(ctx, db, statements...); err != nil {
			return fmt.Errorf("member %d: %w", i+1, err)
		}
	}
	return nil
}

// groupState waits until a member sees all of them online.
func groupState(ctx context.Context, _ *Database, all []*sql.DB, number int) (string, error) {
	rows, err := table(ctx, all[number-1], "SELECT MEMBER_HOST, MEMBER_STATE FROM performance_schema.replication_group_members")
	if err != nil {
		return "", err
	}
	online := 0
	var states []string
	for _, r := range rows {
		states = append(states, r["MEMBER_HOST"]+" "+r["MEMBER_STATE"])
		switch r["MEMBER_STATE"] {
		case "ONLINE":
			online++
		case "ERROR":
			return "", errors.New(record.GroupInError.Say(strings.Join(states, ", ")))
		}
	}
	if online == len(all) {
		return "", nil
	}
	return fmt.Sprintf("%d of %d members are online: %s", online, len(all), strings.Join(states, ", ")), nil
}

// groupFacts are the member's row of the tables that the group keeps of its members.
func groupFacts(ctx context.Context, _ *Database, all []*sql.DB, number int) ([]value, error) {
	const from = "performance_schema.replication_group_members, replication_group_member_stats"
	row, err := oneRow(ctx, all[number-1], `SELECT m.MEMBER_STATE, m.MEMBER_ROLE, s.COUNT_TRANSACTIONS_IN_QUEUE, s.COUNT_TRANSACTIONS_CHECKED,
		s.COUNT_CONFLICTS_DETECTED, s.COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE, s.COUNT_TRANSACTIONS_REMOTE_APPLIED
		FROM performance_schema.replication_group_members m JOIN performance_schema.replication_group_member_stats s USING (MEMBER_ID) WHERE MEMBER_ID = @@server_uuid`)
	if err != nil {
		return nil, err
	}
	return []value{
		{"role", strings.ToLower(row["MEMBER_ROLE"]), from, true},
		{"state", strings.ToLower(row["MEMBER_STATE"]), from, false},
		{"certification_queue", row["COUNT_TRANSACTIONS_IN_QUEUE"], from, false},
		{"certified", row["COUNT_TRANSACTIONS_CHECKED"], from, false},
		{"conflicts", row["COUNT_CONFLICTS_DETECTED"], from, false},
		{"apply_queue", row["COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE"], from, false},
		{"applied", row["COUNT_TRANSACTIONS_REMOTE_APPLIED"], from, false},
	}, nil
}
