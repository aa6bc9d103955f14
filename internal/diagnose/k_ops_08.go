package diagnose

import "strings"

func kOPS08() Rule {
	return Rule{
		ID: "K-OPS-08", Title: "Several replicas without replication: each pod has data of its own", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "replicas of a StatefulSet starts further pods with volumes of their own; it copies no data. Without replication each pod is an empty database, and " +
			"a Service in front of them sends each connection to any of them: a row that was written through one connection is missing in the next. Servers " +
			"with one server_id do not replicate from each other.",
		Impact:  "Rows that are there in one connection and not in the next; the copies differ for good.",
		Fix:     "Run one replica, or let an operator or a chart set up replication.",
		Sources: []string{"Kubernetes documentation, Run a Replicated Stateful Application: https://kubernetes.io/docs/tasks/run-application/run-replicated-stateful-application/", "MySQL 8.4 Reference Manual, Setting the Replication Source Configuration: https://dev.mysql.com/doc/refman/8.4/en/replication-howto-masterbaseconfig.html"},
		Check:   checkUnreplicated,
	}
}

func checkUnreplicated(c *Case) []Finding {
	if c.DB.Object.Kind != "StatefulSet" || c.DB.Replicas < 2 || c.DB.Replication != "" || c.DB.Operator != "" || owned(c) || c.replicates() {
		return nil
	}
	if len(c.DB.Config.Missing) > 0 {
		return c.elsewhere()
	}
	if by := c.mayReplicate(); by != "" {
		return list(unknown("whether %s sets up replication between the replicas", by))
	}
	at := c.DB.Object.Value.Get("spec", "replicas").Spot()
	for _, s := range c.services() {
		if spec := s.Value.Get("spec"); spec.Get("clusterIP").Text() != "None" && !spec.Get("selector", "statefulset.kubernetes.io/pod-name").Exists() {
			return list(confirmed(at, "%d replicas and no replication: each has data of its own, and Service %s sends a connection to any of them", c.DB.Replicas, s.Name).as(Error).fix("one replica, or an operator or a chart that sets up replication"))
		}
	}
	return list(hint(at, "%d replicas and no replication: each has data of its own", c.DB.Replicas).fix("one replica, or an operator or a chart that sets up replication"))
}

// replicating are beginnings of options that only a server with replication has.
var replicating = []string{"group_replication", "loose_group_replication", "wsrep_", "relay_log", "replicate_", "rpl_semi_sync", "report_host", "read_only", "super_read_only", "gtid_domain_id", "log_slave_updates", "log_replica_updates", "slave_", "replica_"}

// replicates is whether the options or the environment of the server speak of replication.
func (c *Case) replicates() bool {
	for _, o := range c.DB.Config.Options {
		for _, begin := range replicating {
			if o.Written() && strings.HasPrefix(o.Name, begin) {
				return true
			}
		}
	}
	for _, e := range c.DB.Server.Value.Get("env").Items() {
		name := strings.ToUpper(e.Get("name").Text())
		for _, part := range []string{"REPLICA", "MASTER", "GALERA", "CLUSTER", "WSREP", "SLAVE"} {
			if strings.Contains(name, part) && !strings.Contains(name, "ROOT") {
				return true
			}
		}
	}
	return false
}

// mayReplicate names what can set up replication in a way that the files do not tell: a program of the server's
// container, another container, a hook, or a Job. "" where there is none.
func (c *Case) mayReplicate() string {
	for _, other := range c.DB.Pod.Containers {
		image := strings.ToLower(other.Value.Get("image").Text())
		if other != c.DB.Server && !strings.Contains(image, "exporter") && !strings.Contains(image, "busybox") {
			return "container " + other.Name
		}
	}
	server := c.DB.Server.Value
	if command := words(server.Get("command")); command != "" && !strings.HasPrefix(command, "mysqld") && !strings.HasPrefix(command, "mariadbd") {
		return "the command of container " + c.DB.Server.Name
	}
	if server.Get("lifecycle", "postStart").Exists() {
		return "postStart of container " + c.DB.Server.Name
	}
	for _, mount := range server.Get("volumeMounts").Items() {
		if strings.Contains(mount.Get("mountPath").Text(), "initdb.d") {
			return "a script in " + mount.Get("mountPath").Text()
		}
	}
	for _, kind := range []string{"Job", "CronJob"} {
		for _, o := range c.Set.All(kind) {
			return kind + " " + o.Name
		}
	}
	return ""
}
