package manifest

import "testing"

// TestOperatorResources: every shipped operator's resource is a database, with its
// members, memory, options and replication where the descriptor has them.
func TestOperatorResources(t *testing.T) {
	for _, c := range []struct {
		text        string
		product     Product
		members     int64
		memory      int64
		replication string
	}{
		{"apiVersion: mysql.oracle.com/v2\nkind: InnoDBCluster\nspec: {instances: 3, podSpec: {containers: [{name: mysql, resources: {limits: {memory: 1Gi}}}]}}", MySQL, 3, 1 << 30, "group"},
		{"apiVersion: pxc.percona.com/v1\nkind: PerconaXtraDBCluster\nspec: {pxc: {size: 5, resources: {limits: {memory: 1Gi}}}}", MySQL, 5, 1 << 30, "galera"},
		{"apiVersion: ps.percona.com/v1\nkind: PerconaServerMySQL\nspec: {mysql: {clusterType: async, size: 2, resources: {limits: {memory: 1Gi}}}}", MySQL, 2, 1 << 30, ""},
		{"apiVersion: apps.kubeblocks.io/v1\nkind: Cluster\nspec: {componentSpecs: [{name: db, componentDef: mysql-8.0, replicas: 2, resources: {limits: {memory: 1Gi}}}]}", MySQL, 2, 1 << 30, ""},
		{"apiVersion: k8s.mariadb.com/v1alpha1\nkind: MariaDB\nspec: {replicas: 3, galera: {enabled: true}, resources: {limits: {memory: 1Gi}}}", MariaDB, 3, 1 << 30, "galera"},
	} {
		set, problems := Read([]Source{{Name: "x.yaml", Text: []byte(c.text)}}, nil)
		if len(problems) > 0 || len(set.Databases()) != 1 {
			t.Fatalf("%s: %v", c.text, problems)
		}
		d := set.Databases()[0]
		memory, _ := d.MemoryLimit()
		if d.Product != c.product || d.Replicas != c.members || memory != c.memory || d.Replication != c.replication || d.Operator == "" {
			t.Errorf("%s: product %s, members %d, memory %d, replication %q, operator %q", c.text, d.Product, d.Replicas, memory, d.Replication, d.Operator)
		}
	}
}
