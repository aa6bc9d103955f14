package main

// `tare init --manifests` and `--helm`: an experiment of a database that is there, on copies with other names.

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

//go:embed manifests.yaml.tmpl
var ownExperiment string

// ownDatabase is what the template of an experiment of a user's own manifests needs.
type ownDatabase struct {
	Command, Name, Of, Container, Image string
	Manifests                           string // the file with the copies
	Namespace, Kubeconfig, Context      string
	Service, Secret, PasswordKey        string
	Password                            bool // where it is is known
	Arms                                []ownArm
	Class                               string // the JSON patch of another StorageClass, "" where the data are on no claim template
	Notes                               []string
}

// ownArm is a variant of the database, and what it is there for.
type ownArm struct{ Name, Why, Patch string }

// writeOfManifests writes the copies and the experiment.
func writeOfManifests(t *terminal, file string, o initOptions, at kubernetes.Where) error {
	names, flag := []string{o.manifests}, "--manifests "+o.manifests
	if o.helm != "" {
		names, flag = []string{o.helm}, "--helm "+o.helm
		if err := hasObjects(o.helm); err != nil {
			return err
		}
	}
	objects, err := kubernetes.Manifests(names)
	if err != nil {
		return usage{fmt.Errorf("init: %w", err)}
	}
	found, err := onlyDatabase(objects)
	if err != nil {
		return err
	}
	copied, err := kubernetes.Copy(objects, found.Object.Kind, found.Object.Name)
	if err != nil {
		return usage{fmt.Errorf("init: %w", err)}
	}
	if err := dataStay(found); err != nil {
		return err
	}
	base := strings.TrimSuffix(file, filepath.Ext(file))
	d := ownDatabase{
		Command: "tare init " + flag, Name: experimentName(file), Of: found.Title(), Container: found.Server.Name, Image: found.Image.Text(),
		Manifests: filepath.Base(base) + "-manifests.yaml", Namespace: at.Namespace, Kubeconfig: quotedOr(at.Kubeconfig), Context: quotedOr(at.Context), Service: copied.Service, Notes: copied.Notes,
	}
	d.login(found, copied)
	d.variants(found, copied)
	return d.write(t, file, base+"-manifests.yaml", copied.Text, o.force)
}

// hasObjects refuses a file that is not the output of `helm template`.
func hasObjects(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return usage{fmt.Errorf("init: --helm: %w", err)}
	}
	set, _ := manifest.Read([]manifest.Source{{Name: file, Text: text}}, nil)
	for _, kind := range []string{"StatefulSet", "Deployment", "Pod", "Service", "ConfigMap", "Secret"} {
		if len(set.All(kind)) > 0 {
			return nil
		}
	}
	return hinted{usage{fmt.Errorf("init: --helm: %s has no objects of Kubernetes; a values file alone does not say what its chart makes", file)},
		"helm template RELEASE CHART -f " + file + " > rendered.yaml && tare init --helm rendered.yaml"}
}

// onlyDatabase is the one database among the objects.
func onlyDatabase(objects kubernetes.Objects) (*manifest.Database, error) {
	text, err := kubernetes.YAML(objects)
	if err != nil {
		return nil, err
	}
	set, _ := manifest.Read([]manifest.Source{{Name: "manifests", Text: text}}, nil)
	var found []*manifest.Database
	var names, kinds []string
	for _, db := range set.Databases() {
		if db.Operator != "" {
			return nil, hinted{usage{fmt.Errorf("init: %s is a resource of %s: its pods are the operator's to make", db.Title(), db.Operator)}, "operator: and resource: of an arm (docs/kubernetes.md, A database that an operator runs)"}
		}
		if db.Pod != nil && db.Server != nil {
			found = append(found, db)
			names = append(names, db.Title()+" (container "+db.Server.Name+")")
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, usage{fmt.Errorf("init: the manifests have %d MySQL or MariaDB servers: %s; name a file or directory with one of them", len(found), strings.Join(names, ", "))}
	}
	for _, u := range objects {
		kinds = append(kinds, u.GetKind()+" "+u.GetName())
	}
	return nil, usage{fmt.Errorf("init: no container of MySQL or MariaDB found; the manifests have %s", strings.Join(kinds, ", "))}
}

// dataStay refuses a server whose data go with its pod: every trial would begin with an empty one, as tare check says.
func dataStay(db *manifest.Database) error {
	for _, dir := range manifest.DataDirs() {
		if _, volume := db.Pod.Mount(db.Server, dir); volume.Get("emptyDir").Exists() {
			return usage{fmt.Errorf("init: the data of %s are in an emptyDir (%s): every trial would begin with an empty server; use a claim in the manifests", db.Title(), dir)}
		}
	}
	return nil
}

// login is where the root password is.
func (d *ownDatabase) login(db *manifest.Database, copied kubernetes.Copied) {
	for _, e := range db.Server.Value.Get("env").Items() {
		switch e.Get("name").Text() {
		case "MYSQL_ROOT_PASSWORD", "MARIADB_ROOT_PASSWORD":
			key := e.Get("valueFrom", "secretKeyRef")
			d.Password = true // tare reads that of the environment itself
			if key.Exists() {
				d.Secret, d.PasswordKey = copied.Name("Secret", key.Get("name").Text()), key.Get("key").Text()
			}
		case "MYSQL_ALLOW_EMPTY_PASSWORD", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD":
			d.Password = true
		}
	}
	if !d.Password {
		d.Notes = append(d.Notes, "Where the password of root is was not found: fill in secret and passwordKey of server.")
	}
}

// Amounts where the manifests say none. They are assumed, which the file says.
const (
	assumedCPU, assumedMemory             = "1", "2Gi"      // of the server
	assumedBesideCPU, assumedBesideMemory = "100m", "128Mi" // of another container
	assumedInitMemory                     = "512Mi"         // mysqld --initialize takes up to 414 MiB
)

// variants are the arms beside the database as it is.
func (d *ownDatabase) variants(db *manifest.Database, copied kubernetes.Copied) {
	name := copied.Name(db.Object.Kind, db.Object.Name)
	if db.Pod.QoS() == manifest.Guaranteed {
		d.Notes = append(d.Notes, "The pod is Guaranteed as it is: there is no arm for it.")
	} else {
		containers, assumed := equalAmounts(db)
		why := "Requests equal to limits, of CPU and memory, in every container."
		if assumed != "" {
			why += " Assumed, because the manifests have none: " + assumed + "."
		}
		d.Arms = append(d.Arms, ownArm{"guaranteed", why, podPatch(db, name, containers)})
	}
	if containers, limited := withoutLimit(db); limited {
		d.Arms = append(d.Arms, ownArm{"no-cpu-limit", "No CPU limit, and so no quota; the requests stay.", podPatch(db, name, containers)})
	} else {
		d.Notes = append(d.Notes, "No container has a CPU limit: there is no arm without it.")
	}
	if len(copied.Volumes) > 0 {
		d.Class = `[{"op": "add", "path": "/spec/volumeClaimTemplates/0/spec/storageClassName", "value": "NAME"}]`
	}
	if copied.Replicas > 1 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s has %d members: the Service decides which of them gets the load.", db.Title(), copied.Replicas))
	}
}

// podPatch is a strategic merge patch of the pods' containers; at [0] the init containers, at [1] the others.
func podPatch(db *manifest.Database, name string, containers [2][]string) string {
	var parts []string
	for i, key := range []string{"initContainers", "containers"} {
		if len(containers[i]) > 0 {
			parts = append(parts, key+": ["+strings.Join(containers[i], ", ")+"]")
		}
	}
	return fmt.Sprintf("{apiVersion: apps/v1, kind: %s, metadata: {name: %s}, spec: {template: {spec: {%s}}}}", db.Object.Kind, quote(name), strings.Join(parts, ", "))
}

func indexOf(c *manifest.Container) int {
	if c.Init || c.Sidecar {
		return 0
	}
	return 1
}

// equalAmounts are all containers with requests that equal their limits, and which amounts are assumed.
func equalAmounts(db *manifest.Database) (all [2][]string, assumed string) {
	var guessed []string
	for _, c := range db.Pod.Containers {
		fallback := [2]string{assumedBesideCPU, assumedBesideMemory}
		switch {
		case c == db.Server:
			fallback = [2]string{assumedCPU, assumedMemory}
		case c.Init:
			fallback[1] = assumedInitMemory
		}
		amounts := make([]string, 2)
		for i, kind := range []string{"cpu", "memory"} {
			amounts[i] = fallback[i]
			if l := c.Limit(kind); l.Positive() {
				amounts[i] = amountText(kind, l.Value)
			} else if r := c.Request(kind); r.Positive() {
				amounts[i] = amountText(kind, r.Value)
			} else {
				guessed = append(guessed, c.Name+" "+kind+" "+fallback[i])
			}
		}
		same := fmt.Sprintf("{cpu: %s, memory: %s}", quote(amounts[0]), amounts[1])
		i := indexOf(c)
		all[i] = append(all[i], fmt.Sprintf("{name: %s, resources: {requests: %s, limits: %s}}", c.Name, same, same))
	}
	return all, strings.Join(guessed, ", ")
}

func amountText(kind string, value int64) string {
	if kind == "cpu" {
		return manifest.CPUs(value)
	}
	return manifest.Size(value)
}

// withoutLimit are the containers with a CPU limit, without it; limited says that there are some. A request that only the limit
// gives is written, or it would go with the limit.
func withoutLimit(db *manifest.Database) (all [2][]string, limited bool) {
	for _, c := range db.Pod.Containers {
		if !c.Limit("cpu").Positive() {
			continue
		}
		i := indexOf(c)
		all[i], limited = append(all[i], fmt.Sprintf("{name: %s, resources: {requests: {cpu: %s}, limits: {cpu: null}}}", c.Name, quote(amountText("cpu", c.Request("cpu").Value)))), true
	}
	return all, limited
}

// write writes both files, and says what is in them.
func (d ownDatabase) write(t *terminal, file, copies string, objects []byte, force bool) error {
	opening := fmt.Sprintf("# Written by `%s`: copies of %s and of what its pods need, with other names and labels.\n", d.Command, d.Of)
	if err := (withFile{file, copies, append([]byte(opening), objects...)}).write(ownExperiment, d, force); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s written: %s (container %s) as copies with other names, in %s.\n", file, d.Of, d.Container, copies)
	for _, arm := range d.Arms {
		fmt.Fprintf(t.notes(), "Arm %s: %s\n", arm.Name, arm.Why)
	}
	for _, note := range d.Notes {
		fmt.Fprintln(t.notes(), note)
	}
	fmt.Fprint(t.notes(), asCalled(fmt.Sprintf("Next:\n  tare check --offline %[1]s\n  tare check %[1]s\n  tare run %[1]s\n", file)))
	return nil
}
