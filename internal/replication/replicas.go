package replication

// A source with replicas: asynchronous, and semisynchronous by the plugin, which MariaDB
// has built in.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
)

// joinReplicas has all begin with nothing executed, and the replicas follow the source.
func joinReplicas(ctx context.Context, d *Database, all []*sql.DB) error {
	if err := d.cleanAll(ctx, all); err != nil {
		return err
	}
	return d.followAll(ctx, all)
}

func (d *Database) followAll(ctx context.Context, all []*sql.DB) error {
	for i, db := range all[1:] {
		if err := run(ctx, db, d.follow()...); err != nil {
			return fmt.Errorf("member %d: %w", i+2, err)
		}
	}
	return nil
}

// cleanAll gives every server the account and empties its binary log, so that all have
// executed the same: nothing.
func (d *Database) cleanAll(ctx context.Context, all []*sql.DB) error {
	for i, db := range all {
		if err := run(ctx, db, d.cleanSlate("REPLICATION SLAVE")...); err != nil {
			return fmt.Errorf("member %d: %w", i+1, err)
		}
	}
	return nil
}

// cleanSlate makes the account and empties the binary log. Members are made of the same
// data, so nothing that was logged before has to be replicated.
func (d *Database) cleanSlate(rights string) []string {
	reset := "RESET MASTER"
	if d.server.Flavour == mysqld.MySQL && d.server.AtLeast(8, 2, 0) {
		reset = "RESET BINARY LOGS AND GTIDS"
	}
	statements := append([]string{"SET SESSION sql_log_bin = 0"}, d.clientAccount()...)
	return append(statements,
		fmt.Sprintf("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", account, d.password),
		fmt.Sprintf("GRANT %s ON *.* TO '%s'@'%%'", rights, account),
		reset,
	)
}

// clientAccount makes the account of the load, which can be there.
func (d *Database) clientAccount() []string {
	if d.client == nil {
		return nil
	}
	return []string{
		fmt.Sprintf("CREATE USER IF NOT EXISTS '%s'@'%%'", d.client.User),
		fmt.Sprintf("ALTER USER '%s'@'%%' IDENTIFIED BY '%s'", d.client.User, d.client.Password),
		fmt.Sprintf("GRANT ALL PRIVILEGES ON *.* TO '%s'@'%%'", d.client.User),
	}
}

// follow has a replica follow the source by GTIDs, and take no writes of others.
func (d *Database) follow() []string {
	if d.server.Flavour == mysqld.MariaDB {
		return []string{
			"SET GLOBAL gtid_slave_pos = ''",
			d.changeSource(),
			"SET GLOBAL read_only = ON",
			"START SLAVE",
		}
	}
	return []string{
		d.changeSource(),
		"SET GLOBAL super_read_only = ON",
		"START REPLICA",
	}
}

// followOn has a replica that is stopped follow the source from where it is.
func (d *Database) followOn() []string {
	start := "START REPLICA"
	if d.server.Flavour == mysqld.MariaDB {
		start = "START SLAVE"
	}
	return []string{d.changeSource(), start}
}

func (d *Database) changeSource() string {
	host := d.hosts[d.source.Load()-1]
	if d.server.Flavour == mysqld.MariaDB {
		return fmt.Sprintf("CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %d, MASTER_USER = '%s', MASTER_PASSWORD = '%s', MASTER_USE_GTID = slave_pos", host, port, account, d.password)
	}
	return fmt.Sprintf("CHANGE REPLICATION SOURCE TO SOURCE_HOST = '%s', SOURCE_PORT = %d, SOURCE_USER = '%s', SOURCE_PASSWORD = '%s', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1", host, port, account, d.password)
}

// replicaState waits until both threads of a replica run. An error that they met is
// permanent: they have the right address and account, or never will.
func replicaState(ctx context.Context, d *Database, all []*sql.DB, number int) (string, error) {
	if number == 1 {
		return "", nil
	}
	status, err := d.replicaStatus(ctx, all[number-1])
	if err != nil {
		return "", err
	}
	for _, thread := range []string{"io", "sql"} {
		if complaint := status[thread+"_error"]; complaint != "" && status[thread] != "Connecting" {
			return "", errors.New(record.ThreadSays.Say(thread, complaint))
		}
		if status[thread] != "Yes" {
			return fmt.Sprintf("its %s thread does not run (%s) %s", thread, status[thread], status[thread+"_error"]), nil
		}
	}
	return "", nil
}

// replicaColumns are the columns of SHOW REPLICA STATUS that are read, by the name of
// either flavour.
func replicaColumns() map[string]string {
	return map[string]string{
		"Replica_IO_Running": "io", "Slave_IO_Running": "io", "Replica_SQL_Running": "sql", "Slave_SQL_Running": "sql",
		"Last_IO_Error": "io_error", "Last_SQL_Error": "sql_error",
		"Source_Host": "host", "Master_Host": "host", "Retrieved_Gtid_Set": "received", "Gtid_IO_Pos": "received",
		"Seconds_Behind_Source": "behind_s", "Seconds_Behind_Master": "behind_s",
	}
}

// replicaStatus is the replica's own view.
func (d *Database) replicaStatus(ctx context.Context, db *sql.DB) (map[string]string, error) {
	query := "SHOW REPLICA STATUS"
	if d.server.Flavour == mysqld.MariaDB {
		query = "SHOW SLAVE STATUS"
	}
	row, err := oneRow(ctx, db, query)
	if err != nil {
		return nil, err
	}
	status := map[string]string{}
	for column, name := range replicaColumns() {
		if v, ok := row[column]; ok {
			status[name] = v
		}
	}
	return status, nil
}

// semiSyncNames are the words of either flavour: MariaDB has kept the old ones.
func (d *Database) semiSyncNames() (source, replica string) {
	if d.server.Flavour == mysqld.MariaDB {
		return "rpl_semi_sync_master", "rpl_semi_sync_slave"
	}
	return "rpl_semi_sync_source", "rpl_semi_sync_replica"
}

// semiSyncOptions load the plugins in every member, so that none differs by its
// programs, and switch one on.
func semiSyncOptions(d *Database, number int) map[string]string {
	_, replica := d.semiSyncNames()
	all := map[string]string{}
	if d.server.Flavour == mysqld.MySQL {
		all["plugin_load_add"] = "semisync_source.so;semisync_replica.so"
	}
	if number > 1 {
		all[replica+"_enabled"] = "ON"
	}
	return all
}

// joinSemiSync has the source wait from now on. Were that in its options, the statements
// that make the client's account would wait, for the whole timeout, for replicas that are
// not there yet.
func joinSemiSync(ctx context.Context, d *Database, all []*sql.DB) error {
	if err := d.cleanAll(ctx, all); err != nil {
		return err
	}
	source, _ := d.semiSyncNames()
	if err := run(ctx, all[0], "SET GLOBAL "+source+"_enabled = ON"); err != nil {
		return fmt.Errorf("member 1: %w", err)
	}
	return d.followAll(ctx, all)
}

// semiSyncState waits until the source has all replicas to wait for.
func semiSyncState(ctx context.Context, d *Database, all []*sql.DB, number int) (string, error) {
	if number > 1 {
		return replicaState(ctx, d, all, number)
	}
	// The replicas come after it in the order in which members are asked.
	for replica := 2; replica <= len(all); replica++ {
		if why, err := replicaState(ctx, d, all, replica); why != "" || err != nil {
			return why, err
		}
	}
	source, _ := d.semiSyncNames()
	status, err := statusLike(ctx, all[0], source+"_%")
	if err != nil {
		return "", err
	}
	if on, clients := status[source+"_status"], status[source+"_clients"]; on != "ON" || clients != fmt.Sprint(len(all)-1) {
		return fmt.Sprintf("semisynchronous replication is %q with %q replicas", on, clients), nil
	}
	return "", nil
}
