package manifest

// This file finds the databases of a set: pods with a server in them, operators'
// resources, and option files by themselves.

import (
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/operator"
)

// Database is one server, or one set of equal servers, as the files describe it.
type Database struct {
	Object  *Object
	Product Product
	Version Version
	// Tag is the image's tag where it is moved from release series to release series, such as 8 or lts;
	// Version is then not known. "" for any other image.
	Tag      string
	Replicas int64
	// Members is the field with Replicas; it does not exist where the file does not say them.
	Members Value
	Pod     *Pod       // nil for an option file by itself
	Server  *Container // the container with mysqld; of an option file only its limits, where Assume was told them
	Config  Config
	Claims  []Claim
	// Image is the field with the server's image; it does not exist where an operator chooses one.
	Image    Value
	Operator string // whose resource it is: "Percona XtraDB Cluster"; "" for none
	// Replication is how the members agree: "galera", "group", "" for anything else.
	Replication string
	// ConfigAt is where an operator's resource takes options, for advice.
	ConfigAt Value
	// OnlyNew are paths whose changes the operator does not bring to a cluster that exists.
	OnlyNew []string
	// Written are the settings of the pods that an operator's resource has.
	Written PodSettings
	// LimitRange is the one whose defaults the containers have, nil for none; Ambiguous is whether several have
	// some, of which none was applied.
	LimitRange *Object
	Ambiguous  bool
	// Dropped are resources of the pod as a whole that the kubelet of the node leaves out.
	Dropped Value
	// family is what is known of the server's image.
	family family
	// major is the first number of a release where the rest is not known, 0 where nothing is.
	major int
	// presets are the options that the operator or its image sets where the resource sets none.
	presets []operator.Setting
	// labels are those of its running pods where an operator makes them.
	labels map[string]string
	// tuned is the buffer pool that the operator computes where none is set.
	tuned func(limit int64, limited bool) (int64, Text)
}

// Claim is a request for a volume.
type Claim struct {
	Name   string
	Object string // the name of the PersistentVolumeClaim, "" for a template
	Size   Amount
	Class  Value
	Value  Value
}

// PodSettings are settings of the pods that an operator's resource has; one that it has not, or that the operator
// has no field for, does not exist.
type PodSettings struct {
	Grace        Value
	Liveness     []Value
	Budget       Value
	AntiAffinity Value
	Volume       Value
}

// Preset is what the operator or its image sets an option to where the resource sets none.
func (d *Database) Preset(name string) (operator.Setting, bool) {
	for _, s := range d.presets {
		if s.Option == name {
			return s, true
		}
	}
	return operator.Setting{}, false
}

// Title is how findings call the database.
func (d *Database) Title() string { return d.Object.Title() }

// MemoryLimit of the server in bytes, the pod's where the container has none.
func (d *Database) MemoryLimit() (int64, bool) {
	if d.Server == nil {
		return 0, false
	}
	if l := d.Server.Limit("memory"); l.Positive() {
		return l.Value, true
	}
	if d.Pod == nil {
		return 0, false
	}
	l := d.Pod.Resources.Get("limits", "memory").Amount("memory")
	return l.Value, l.Positive()
}

// CPULimit of the server in thousandths.
func (d *Database) CPULimit() (Amount, bool) {
	if d.Server == nil {
		return Amount{}, false
	}
	if l := d.Server.Limit("cpu"); l.Positive() {
		return l, true
	}
	if d.Pod == nil {
		return Amount{}, false
	}
	l := d.Pod.Resources.Get("limits", "cpu").Amount("cpu")
	return l, l.Positive()
}

// Databases are the databases of the set, in the order of the files.
func (s *Set) Databases() []*Database {
	var all []*Database
	taken := map[*Object]bool{} // ConfigMaps that configure one of them
	for _, o := range s.Objects {
		var d *Database
		if op, ok := operatorOf(o); ok {
			if o.Value.Get("spec").Exists() { // else a patch of a resource that stands elsewhere
				d = op.database(o)
			}
		} else if k, ok := kindOf(o.Kind); ok {
			d = builtIn(o, k)
		} else if o.Kind == optionFile && o.options.ofServer() {
			d = &Database{Object: o, Config: o.options, Replicas: 1}
			d.guessProduct()
			d.expand()
		}
		if d != nil {
			s.configure(d, taken)
			d.answer(s.Answered)
			if d.Replication == "" && d.wsrep() {
				d.Replication = "galera"
			}
			all = append(all, d)
		}
	}
	for _, o := range s.All("ConfigMap") {
		if taken[o] {
			continue
		}
		if c := optionsOf(o, holdsOptions); len(c.Options) > 0 && hasServerGroup(c) {
			d := &Database{Object: o, Config: c, Replicas: 1, Server: &Container{}}
			d.follow()
			d.Server = nil
			d.guessProduct()
			d.expand()
			all = append(all, d)
		}
	}
	return all
}

// guessProduct from the names of the groups: [mariadb] is read by MariaDB alone.
func (d *Database) guessProduct() {
	for _, o := range d.Config.Options {
		if strings.HasPrefix(o.Group, "mariadb") {
			d.Product = MariaDB
		}
	}
}

// ofServer is whether an option file is one of a server: not one whose groups are those of clients alone, such as
// Debian's debian.cnf.
func (c Config) ofServer() bool {
	return len(c.Options) == 0 || len(c.Broken) > 0 || hasServerGroup(c)
}

func hasServerGroup(c Config) bool {
	for _, o := range c.Options {
		if OfServer(o.Group, Version{}) {
			return true
		}
	}
	return false
}

func builtIn(o *Object, k kind) *Database {
	if isTest(o) {
		return nil
	}
	p := podAt(o.Value.Get(k.template...))
	for _, c := range p.Containers {
		if c.Init {
			continue
		}
		product, version, ok := isServer(p, c, k.once)
		if !ok {
			continue
		}
		d := &Database{Object: o, Product: product, Version: version, Pod: p, Server: c, Image: c.Value.Get("image")}
		d.Tag, d.major = floating(product, c.Value.Get("image").Text())
		d.Members = o.Value.Get("spec", "replicas")
		d.Replicas = d.Members.Int(1)
		for _, t := range o.Value.Get("spec", "volumeClaimTemplates").Items() {
			d.Claims = append(d.Claims, claimAt(t.Get("metadata", "name").Text(), t.Get("spec")))
		}
		return d
	}
	return nil
}

// isTest is whether Helm runs it to test a release: its pod has the server's image to
// be a client (helm.sh/docs, "Chart Tests").
func isTest(o *Object) bool {
	for hook := range strings.SplitSeq(o.Value.Get("metadata", "annotations", "helm.sh/hook").Text(), ",") {
		if strings.HasPrefix(strings.TrimSpace(hook), "test") {
			return true
		}
	}
	return false
}

func claimAt(name string, spec Value) Claim {
	return Claim{Name: name, Size: spec.Get("resources", "requests", "storage").Amount("storage"), Class: spec.Get("storageClassName"), Value: spec}
}

// DataDirs are where images keep the data.
func DataDirs() []string {
	return []string{"/var/lib/mysql", "/bitnami/mysql", "/bitnami/mariadb", "/var/lib/mysql/data"}
}

var (
	isMysqld     = regexp.MustCompile(`mysqld( |$)|mariadbd`)
	startsServer = regexp.MustCompile(`mysqld(_safe)?\b|mariadbd\b|docker-entrypoint|run-mysql|run\.sh|/entrypoint`)
	runsTool     = regexp.MustCompile(`mysqldump|mysqladmin|mariadb-dump|mysqlbinlog|mysqlslap|sysbench|xtrabackup|mysqld_exporter|mysql-router`)
	serverEnv    = regexp.MustCompile(`^(MYSQL|MARIADB)_(ROOT_PASSWORD|ROOT_PASSWORD_FILE|ALLOW_EMPTY_PASSWORD|ALLOW_EMPTY_ROOT_PASSWORD|RANDOM_ROOT_PASSWORD)$`)
)

// isServer judges by the signs that a container runs mysqld: what it starts, its
// image, and the data directory, port and password that only a server has.
func isServer(p *Pod, c *Container, once bool) (Product, Version, bool) {
	product, version, image := serverImage(c.Value.Get("image").Text())
	command := words(c.Value.Get("command")) + " " + words(c.Value.Get("args"))
	starts := startsServer.MatchString(command)
	if !starts && (runsTool.MatchString(command) || c.Value.Get("command").Exists() && once) {
		return "", Version{}, false
	}
	data, _ := p.Mount(c, "/var/lib/mysql")
	signs := 0
	for _, sign := range []bool{data.Exists() && data.Get("mountPath").Text() != "/", hasPort(c, 3306), hasServerEnv(c)} {
		if sign {
			signs++
		}
	}
	name, _ := SplitImage(strings.ToLower(c.Value.Get("image").Text()))
	if !starts && signs == 0 && !version.Known() && !serverFirst.MatchString(name[strings.LastIndexByte(name, '/')+1:]) {
		return "", Version{}, false
	}
	switch {
	case image && (starts || !c.Value.Get("command").Exists() && !once), image && signs > 0, signs >= 2 && !once:
	case isMysqld.MatchString(command) && image:
	default:
		return "", Version{}, false
	}
	if product == "" {
		product = MySQL
		if strings.Contains(strings.ToLower(c.Value.Get("image").Text()), "maria") {
			product = MariaDB
		}
	}
	return product, version, true
}

func words(v Value) string {
	if !v.IsList() {
		return v.Text()
	}
	var all []string
	for _, w := range v.Items() {
		all = append(all, w.Text())
	}
	return strings.Join(all, " ")
}

func hasPort(c *Container, port int64) bool {
	for _, p := range c.Value.Get("ports").Items() {
		if p.Get("containerPort").Int(0) == port {
			return true
		}
	}
	return false
}

func hasServerEnv(c *Container) bool {
	for _, e := range c.Value.Get("env").Items() {
		if serverEnv.MatchString(e.Get("name").Text()) {
			return true
		}
	}
	return false
}
