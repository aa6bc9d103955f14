package diagnose

// This file says of findings that --fix leaves what the right change depends on and which command shows it. A rule that
// writes some of its findings has a row as well: the others are those that files alone do not decide.

import "strings"

// undecided are rules whose change depends on the same.
type undecided struct {
	rules string
	why   Phrase
}

// dependsOn is the row of a rule; a test looks that every rule of files has one.
func dependsOn(rule string) Phrase {
	for _, u := range undecidedRules() {
		for id := range strings.FieldsSeq(u.rules) {
			if id == rule {
				return u.why
			}
		}
	}
	return Phrase{}
}

func undecidedRules() []undecided {
	return []undecided{
		{"K-QOS-01 K-QOS-02 K-QOS-03 K-QOS-04 K-MEM-01 K-ALC-05 K-CPU-02 K-CFS-02 K-CFS-04 O-ORA-01 O-ORA-02 O-KB-01 O-PXC-02 O-PXC-03 O-MDB-01 O-PS-01",
			term("the amounts depend on what the containers use under load: `kubectl top pod --containers` shows it, `tare remedy --spec SPEC FILE` measures a change")},
		{"K-QOS-05 K-NET-15", term("whether the database may leave the service mesh depends on where the mesh requires its TLS: `kubectl get peerauthentication -A` shows it in Istio")},
		{"K-QOS-06 K-CPU-01 K-CPU-03 K-CPU-04 K-CPU-06 K-MEM-02 K-MEM-04", term("it depends on settings of the node that all of its pods share: `kubectl get --raw /api/v1/nodes/NAME/proxy/configz` shows its settings")},
		{"K-QOS-09", term("it depends on the priorities that the cluster has: `kubectl get priorityclass` lists them")},
		{"K-ALC-01 K-ALC-03 K-NUM-02", term("whether to request less or to take another node depends on the nodes: `kubectl describe nodes` shows what each has left")},
		{"K-ALC-04", term("it depends on the nodes and zones that the replicas may use: `kubectl get nodes --show-labels` lists them")},
		{"K-ALC-06", term("whether the pod or the quota is to change depends on the namespace: `kubectl describe resourcequota,limitrange -n NAMESPACE` shows what is used")},
		{"K-ALC-07", term("it depends on the amount that is meant: `kubectl apply --dry-run=server -f FILE` shows whether the API server accepts it")},
		{"K-CFS-01 K-SEC-01", term("it depends on the kernel of the nodes: `kubectl get nodes -o wide` lists it")},
		{"K-CFS-05 K-OPS-04", term("it depends on how long the server takes to start after a crash: `kubectl logs POD` has the times of its starts")},
		{"K-MEM-07", term("it depends on how much is written into the volume: `kubectl exec POD -- df -h` shows it")},
		{"K-MEM-08", term("it depends on the huge pages of the nodes: `kubectl describe node NAME` shows them, as hugepages-2Mi")},
		{"M-BP-02", term("whether the buffer pool, the connections or the memory is to change depends on the clients and on the data that is read: `tare explain --live ADDRESS` shows the misses (C-BP-01), `tare remedy --spec SPEC FILE` measures a change")},
		{"K-MEM-11 M-BP-01 M-BP-04", term("whether the buffer pool or the memory is to change depends on the data that is read: `tare explain --live ADDRESS` shows the misses (C-BP-01), `tare remedy --spec SPEC FILE` measures both")},
		{"K-MEM-12", term("it depends on the limit of open files that the container runtime sets: `kubectl exec POD -- sh -c 'ulimit -n'` shows it")},
		{"K-NUM-03", term("it depends on the NUMA nodes of the machine: `lscpu` on the node lists them")},
		{"K-STO-01 K-STO-03 K-STO-10 K-STO-11", term("it depends on the storage that the cluster has, and the data has to be moved: `kubectl get storageclass` lists it")},
		{"K-STO-04 K-STO-05 K-STO-07 M-IO-01", term("it depends on the I/O operations that the load needs: `tare explain --live ADDRESS` shows whether the volume's limit is reached (C-IO-01)")},
		{"K-STO-08", term("it depends on whether the volume was read once since it was restored: `kubectl describe volumesnapshotcontent` names the snapshot")},
		{"K-STO-09", term("it depends on who owns the files of the volume: `kubectl exec POD -- ls -ln /var/lib/mysql` shows it")},
		{"K-STO-12", term("it depends on the servers of the node: `cat /proc/sys/fs/aio-nr /proc/sys/fs/aio-max-nr` on the node shows what is used")},
		{"K-NET-14 K-NET-16", term("it depends on where the clients are: `kubectl get endpointslices -o wide` and `SHOW PROCESSLIST` show it")},
		{"K-DNS-01", term("it depends on accounts that are granted by host name: `SELECT user, host FROM mysql.user` lists them")},
		{"K-SEC-05", term("it depends on whether the database needs the isolation of the sandbox: `kubectl get runtimeclass` lists what the cluster has, and `tare run` with an arm for each measures its cost")},
		{"K-CFG-01 K-CFG-02", term("it depends on how the ConfigMap is rolled out: `kubectl rollout history` shows whether pods restart with it")},
		{"K-OPS-01 K-OPS-08 M-GAL-03", term("it depends on how many members may be away, and on their replication: `kubectl get pdb,statefulset` shows the members")},
		{"K-OPS-03", term("it depends on whether a volume can be used by two pods: `kubectl get pvc` shows its access modes")},
		{"K-OPS-09", term("it depends on what tells that the server is ready for its clients: of a replica that may be its lag as well; `kubectl get endpointslices` shows which pods count as ready")},
		{"K-OPS-05", term("it depends on how long a clean shutdown takes: the error log has its times, `kubectl logs POD --previous`")},
		{"K-OPS-06", term("it depends on the release that runs now, which the tag does not name: `SELECT VERSION()` shows it")},
		{"K-OPS-07", term("it depends on what the autoscaler is for: `kubectl describe vpa,hpa` shows what it recommends")},
		{"M-DUR-02 M-DUR-03 M-DUR-04", term("it depends on the data that may be lost, which the owner of the data decides; --fix never changes durability. `tare run` with an arm for each setting measures what it costs")},
		{"M-REDO-01 M-REDO-02 M-REDO-03", term("it depends on the redo that is written in an hour: `SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'`, twice, shows it, `tare remedy --spec SPEC FILE` measures a size")},
		{"M-IO-02 M-IO-05 M-CPU-02 M-QC-01", term("whether it helps depends on the load: `tare remedy --spec SPEC FILE` measures it")},
		{"M-LOG-01", term("it depends on who reads the log: `SELECT @@general_log, @@slow_query_log` shows what is written, `tare run` with an arm without it measures its cost")},
		{"M-LOG-02", term("it depends on how far replicas and backups are behind: `SHOW BINARY LOGS` shows the size of what is kept")},
		{"M-VER-01", term("it depends on whether the option or the release is to change: `mysqld --validate-config`, in MariaDB `mariadbd --verbose --help`, tells whether a release has it")},
		{"M-VER-02", term("an upgrade depends on the application: test it on a copy of the data, `mysqlsh -- util checkForServerUpgrade` for MySQL")},
		{"M-OPT-01", term("it depends on the value that is meant: `mysqld --verbose --help` shows what the option takes")},
		{"M-OPT-03", term("it depends on which of the lines is meant: `SHOW GLOBAL VARIABLES` shows what the server has")},
		{"M-OPT-02", term("it depends on the plugins that the server loads: `mysqld --verbose --help`, in MariaDB `mariadbd --verbose --help`, lists the names that it has")},
		{"M-GAL-02", term("it depends on the CPUs and on the writes of the other nodes: `SHOW GLOBAL STATUS LIKE 'wsrep_flow_control_paused'` shows whether they wait")},
		{"M-GAL-04", term("it depends on the operator, which may replace the value: `SHOW GLOBAL VARIABLES LIKE 'binlog_format'` shows what holds")},
		{"O-GEN-01", term("the operator owns the object and reverts a change: `kubectl get OBJECT -o jsonpath='{.metadata.ownerReferences}'` names the resource to change")},
		{"O-GEN-02", term("it depends on why the resource says so: `kubectl explain` describes the field")},
	}
}
