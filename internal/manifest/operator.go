package manifest

// This file is the table of operators' resources: where each says what a pod
// template would. Read by path rather than through the operators' Go modules,
// which pin different versions of everything.

import (
	"strings"
)

// operator is a resource that an operator turns into a StatefulSet.
type operator struct {
	group, kind string
	name        string
	replication string
	product     Product
	replicas    string // path; each path has dots, and [name=x] for an item
	version     string
	image       string
	resources   string // of the container with mysqld
	config      string // an option file as text
	configMap   string // or the name of the ConfigMap that has it
	claim       string // spec of the data's volume claim
	size, class string // or the two by themselves
	sidecars    []sidecar
	tuned       func(limit int64, limited bool) (int64, string)
}

// sidecar is a container that the operator puts into the pod, and where its
// resources are set. A path with "enabled" says whether it is there.
type sidecar struct {
	name      string
	resources string
	enabled   string // path that must be true; "" for always
	init      bool
}

func operators() []operator {
	return []operator{
		{
			group: "mysql.oracle.com", kind: "InnoDBCluster", name: "MySQL Operator", replication: "group", product: MySQL,
			replicas: "spec.instances", version: "spec.version", resources: "spec.podSpec.containers[name=mysql].resources",
			config: "spec.mycnf", claim: "spec.datadirVolumeClaimTemplate",
			sidecars: []sidecar{
				{name: "sidecar", resources: "spec.podSpec.containers[name=sidecar].resources"},
				{name: "initconf", resources: "spec.podSpec.initContainers[name=initconf].resources", init: true},
				{name: "initmysql", resources: "spec.podSpec.initContainers[name=initmysql].resources", init: true},
			},
		},
		{
			group: "pxc.percona.com", kind: "PerconaXtraDBCluster", name: "Percona XtraDB Cluster Operator", replication: "galera", product: MySQL,
			replicas: "spec.pxc.size", image: "spec.pxc.image", resources: "spec.pxc.resources",
			config: "spec.pxc.configuration", claim: "spec.pxc.volumeSpec.persistentVolumeClaim", tuned: pxcPool,
			sidecars: []sidecar{
				{name: "logs", resources: "spec.logcollector.resources", enabled: "spec.logcollector.enabled"},
				{name: "pmm-client", resources: "spec.pmm.resources", enabled: "spec.pmm.enabled"},
			},
		},
		{
			group: "ps.percona.com", kind: "PerconaServerMySQL", name: "Percona Server for MySQL Operator", replication: "group", product: MySQL,
			replicas: "spec.mysql.size", image: "spec.mysql.image", resources: "spec.mysql.resources",
			config: "spec.mysql.configuration", claim: "spec.mysql.volumeSpec.persistentVolumeClaim", tuned: psPool,
			sidecars: []sidecar{{name: "pmm-client", resources: "spec.pmm.resources", enabled: "spec.pmm.enabled"}},
		},
		{
			group: "k8s.mariadb.com", kind: "MariaDB", name: "mariadb-operator", product: MariaDB,
			replicas: "spec.replicas", image: "spec.image", resources: "spec.resources",
			config: "spec.myCnf", configMap: "spec.myCnfConfigMapKeyRef.name",
			claim: "spec.storage.volumeClaimTemplate", size: "spec.storage.size", class: "spec.storage.storageClassName",
			sidecars: []sidecar{
				{name: "agent", resources: "spec.galera.agent.resources", enabled: "spec.galera.enabled"},
				{name: "init", resources: "spec.galera.initContainer.resources", enabled: "spec.galera.enabled", init: true},
				{name: "agent", resources: "spec.replication.agent.resources", enabled: "spec.replication.enabled"},
				{name: "init", resources: "spec.replication.initContainer.resources", enabled: "spec.replication.enabled", init: true},
			},
		},
	}
}

// managed is an operator's resource, found for an object.
type managed struct {
	operator
	component Value // KubeBlocks: the component within the Cluster
}

func operatorOf(o *Object) (managed, bool) {
	for _, op := range operators() {
		if op.kind == o.Kind && op.group == o.group() {
			return managed{operator: op}, true
		}
	}
	return kubeblocks(o)
}

func at(v Value, path string) Value {
	if path == "" {
		return Value{}
	}
	return v.At(path)
}

// database is the operator's resource in the words of a pod.
func (op managed) database(o *Object) *Database {
	root := o.Value
	if op.component.Exists() {
		root = op.component
	}
	server := &Container{Name: "mysql", Resources: at(root, op.resources)}
	d := &Database{
		Object: o, Product: op.product, Replicas: at(root, op.replicas).Int(1), Server: server, Operator: op.name,
		Replication: op.replication, ConfigAt: at(root, op.config), tuned: op.tuned,
		Pod: &Pod{Containers: []*Container{server}, Filled: op.name},
	}
	d.Version = parseVersion(at(root, op.version).Text())
	if image := at(root, op.image).Text(); image != "" {
		_, d.Version, _ = serverImage(image)
	}
	for _, s := range op.sidecars {
		if s.enabled != "" && !root.At(s.enabled).IsTrue() {
			continue
		}
		d.Pod.Containers = append(d.Pod.Containers, &Container{Name: s.name, Init: s.init, Resources: root.At(s.resources)})
	}
	if op.kind == "MariaDB" && root.At("spec.galera.enabled").IsTrue() {
		d.Replication = "galera"
	}
	if op.kind == "PerconaServerMySQL" && root.At("spec.mysql.clusterType").Text() == "async" {
		d.Replication = ""
	}
	d.Config = optionsIn(d.ConfigAt, op.kind+" "+o.Name)
	d.addClaim(op, root)
	return d
}

func (d *Database) addClaim(op managed, root Value) {
	if spec := at(root, op.claim); spec.Exists() {
		d.Claims = append(d.Claims, claimAt("data", spec))
		return
	}
	if op.size != "" {
		d.Claims = append(d.Claims, Claim{Name: "data", Size: root.At(op.size).Amount("storage"), Class: root.At(op.class), Value: root.At(op.size)})
	}
}

// operatorConfig reads the ConfigMap that an operator's resource names.
func (s *Set) operatorConfig(d *Database, taken map[*Object]bool) {
	op, ok := operatorOf(d.Object)
	if !ok || op.configMap == "" {
		return
	}
	name := d.Object.Value.At(op.configMap).Text()
	if name == "" {
		return
	}
	o := s.Find("ConfigMap", name)
	if o == nil {
		d.Config.Missing = append(d.Config.Missing, "ConfigMap "+name+" is not among the files")
		return
	}
	taken[o] = true
	d.Config.add(configMapOptions(o, d.Object.Value.At(strings.TrimSuffix(op.configMap, ".name")+".key").Text()))
}

// kubeblocks finds the MySQL component of a KubeBlocks Cluster.
func kubeblocks(o *Object) (managed, bool) {
	if o.Kind != "Cluster" || o.group() != "apps.kubeblocks.io" {
		return managed{}, false
	}
	for _, c := range o.Value.Get("spec", "componentSpecs").Items() {
		words := strings.ToLower(o.Value.Get("spec", "clusterDef").Text() + " " + o.Value.Get("spec", "clusterDefinitionRef").Text() + " " +
			c.Get("componentDef").Text() + " " + c.Get("componentDefRef").Text())
		if strings.Contains(words, "proxysql") || strings.Contains(words, "orchestrator") || strings.Contains(words, "vtgate") ||
			!strings.Contains(words, "mysql") && !strings.Contains(words, "mariadb") {
			continue
		}
		product := MySQL
		if strings.Contains(words, "mariadb") {
			product = MariaDB
		}
		return managed{component: c, operator: operator{
			kind: o.Kind, name: "KubeBlocks", product: product, replicas: "replicas", version: "serviceVersion",
			resources: "resources", claim: "volumeClaimTemplates[name=data].spec", tuned: kubeblocksPool,
			// Its other containers get limits of zero by default, which do not count.
			sidecars: []sidecar{{name: "kbagent", resources: "(KubeBlocks' chart: clusterDefaultResources)"}},
		}}, true
	}
	return managed{}, false
}
