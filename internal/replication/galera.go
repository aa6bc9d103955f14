package replication

// MariaDB Galera Cluster.

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/internal/mysqld"
)

// libraries are where distributions put the Galera library (Debian; Fedora and RHEL).
func libraries() []string {
	return []string{"/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera-4/libgalera_smm.so", "/usr/lib64/galera/libgalera_smm.so"}
}

// library is its path in the server's root file system.
func library(d mysqld.Distribution) (string, error) {
	for _, path := range libraries() {
		if _, err := os.Stat(filepath.Join(d.Root, path)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("mode galera requires the Galera library, which is in none of %s; install it (apt install galera-4)", strings.Join(libraries(), ", "))
}

func noLibrary(d mysqld.Distribution) error {
	_, err := library(d)
	return err
}

// calmGalera are the timeouts of members that are frozen together between their turns: by
// default a member leaves those from which it has heard nothing for 3 s (Galera Cluster
// Documentation, "Galera Parameters").
const calmGalera = ";evs.suspect_timeout=PT30S;evs.inactive_timeout=PT1M;gmcast.peer_timeout=PT30S"

// galeraOptions have every member find the others. A member waits for them as long as it
// takes them to start; by default it gives up after 30 s.
func galeraOptions(d *Database, number int) map[string]string {
	path, err := library(d.server)
	if err != nil {
		return nil // the check has said it
	}
	provider := "pc.wait_prim_timeout=PT10M"
	if d.calm {
		provider += calmGalera
	}
	return map[string]string{
		"wsrep_on": "ON", "wsrep_provider": path, "wsrep_cluster_name": "tare",
		"wsrep_cluster_address": "gcomm://" + strings.Join(d.hosts, ","),
		"wsrep_node_address":    d.hosts[number-1], "wsrep_sst_method": "skip",
		"wsrep_provider_options":   provider,
		"innodb_autoinc_lock_mode": "2", "default_storage_engine": "InnoDB",
	}
}

// clusterState is the history that all members have; it begins with their data.
const clusterState = "5f7a6d3e-7461-11f0-a265-6e6368000000"

func memberUUID(number int) string {
	return fmt.Sprintf("5f7a6d3e-7461-11f0-a265-6e636800000%d", number)
}

// galeraFiles are what a cluster leaves in its members' data directories when all of them
// end at once: the state that they had reached, and their view of the cluster. When all
// are back they are that cluster again (pc.recovery; Galera Cluster Documentation,
// "Recovering the Primary Component"). They have the same state, so none asks another for
// it: with a first member that makes the cluster, the others would have to be given its
// state, though they have the same data.
func galeraFiles(d *Database, number int) map[string]string {
	view := fmt.Sprintf("my_uuid: %s\n#vwbeg\nview_id: 3 %s 1\nbootstrap: 0\n", memberUUID(number), memberUUID(1))
	for i := range d.hosts {
		view += fmt.Sprintf("member: %s 0\n", memberUUID(i+1))
	}
	return map[string]string{
		"grastate.dat": "# GALERA saved state\nversion: 2.1\nuuid:    " + clusterState + "\nseqno:   0\nsafe_to_bootstrap: 0\n",
		"gvwstate.dat": view + "#vwend\n",
	}
}

// joinGalera has the further members take no writes of others, where one writes. That they
// join is their own doing.
func joinGalera(ctx context.Context, d *Database, all []*sql.DB) error {
	for i, db := range all[1:] {
		// Not by the cluster, which would have the account of one member on all.
		statements := d.clientAccount()
		if statements != nil {
			statements = append([]string{"SET SESSION wsrep_on = OFF", "SET SESSION sql_log_bin = 0"}, statements...)
		}
		if d.settings.Writers == OneWriter {
			statements = append(statements, "SET GLOBAL read_only = ON")
		}
		if err := run(ctx, db, statements...); err != nil {
			return fmt.Errorf("member %d: %w", i+2, err)
		}
	}
	return nil
}

// galeraState waits until a member is synced and sees all of them.
func galeraState(ctx context.Context, _ *Database, all []*sql.DB, number int) (string, error) {
	status, err := statusLike(ctx, all[number-1], "wsrep_%")
	if err != nil {
		return "", err
	}
	state, size := status["wsrep_local_state_comment"], status["wsrep_cluster_size"]
	if state == "Synced" && size == fmt.Sprint(len(all)) && status["wsrep_cluster_status"] == "Primary" {
		return "", nil
	}
	return fmt.Sprintf("it is %q in a cluster of %s", state, size), nil
}

// galeraFacts are what a member counts: how long flow control has paused it, what waits to
// be applied, and transactions that failed certification.
func galeraFacts(ctx context.Context, _ *Database, all []*sql.DB, number int) ([]value, error) {
	status, err := statusLike(ctx, all[number-1], "wsrep_%")
	if err != nil {
		return nil, err
	}
	values := []value{{"role", "member", "experiment.yaml", true}}
	for _, v := range [][2]string{
		{"state", "wsrep_local_state_comment"}, {"flow_control_paused_ns", "wsrep_flow_control_paused_ns"},
		{"flow_control_sent", "wsrep_flow_control_sent"}, {"apply_queue", "wsrep_local_recv_queue"},
		{"certification_failures", "wsrep_local_cert_failures"}, {"brute_force_aborts", "wsrep_local_bf_aborts"},
		{"replicated", "wsrep_replicated"}, {"replicated_bytes", "wsrep_replicated_bytes"},
		{"received", "wsrep_received"}, {"received_bytes", "wsrep_received_bytes"},
	} {
		values = append(values, value{v[0], strings.ToLower(status[v[1]]), "SHOW GLOBAL STATUS " + v[1], false})
	}
	return values, nil
}
