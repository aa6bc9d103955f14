package manifest

// This file names the documents that may hold a database and are not read: a file that was
// not understood is not a clean file.

import (
	"path"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/operator"
)

// Unread is a document that may hold a database and is not read.
type Unread struct {
	Title string
	Kind  string // "" for a document of no kind, such as values of a chart
	Where Spot
	Why   Text
}

var (
	// ofDatabase are kinds and groups of operators' resources with servers, read or not.
	ofDatabase = regexp.MustCompile(`(?i)mysql|mariadb|percona|vitess|innodbcluster|galera|xtradb|presslabs|planetscale`)
	// besideDatabase are kinds of such operators that have no server: what they make is a backup, a user, a proxy.
	besideDatabase = regexp.MustCompile(`(?i)(backup|restore|user|database|grant|connection|job|schedule|account|policy|monitor|exporter|router|proxy|maxscale|definition|version|opsrequest|storage)s?$`)
	// otherDatabase are kinds of the same makers' operators for other databases.
	otherDatabase = regexp.MustCompile(`(?i)pgcluster|pgupgrade|postgres|mongodb`)
	// mentionsServer is text that has to do with a server, where the document is not read as such.
	mentionsServer = regexp.MustCompile(`(?i)\b(mysqld?|mariadbd?|percona|innodb)\b`)
)

// deployments are kinds that make a database from something else than a pod template, with what to do
// instead of reading them.
var deployments = map[string]string{
	"Template": "oc process -f FILE | tare lint -", "HelmRelease": "helm template CHART | tare lint -", "HelmChart": "helm template CHART | tare lint -",
	"HelmChartConfig": "helm template CHART | tare lint -", "Application": "helm template CHART | tare lint -", "ApplicationSet": "helm template CHART | tare lint -",
	"Kustomization": "kubectl kustomize DIR | tare lint -",
}

// Unread are the documents of the set that may hold a database and are not read, in the order of the files.
func (s *Set) Unread() []Unread {
	all := s.left
	for _, o := range s.Objects {
		if why, unread := o.unread(); unread {
			all = append(all, Unread{Title: o.titleOrFile(), Kind: o.Kind, Where: o.Value.Spot(), Why: why})
		}
	}
	return all
}

// titleOrFile is the object's title, or the file of a document that is no object.
func (o *Object) titleOrFile() string {
	if o.Kind == "" {
		return path.Base(o.file.Name)
	}
	return strings.TrimSpace(o.Title())
}

// unread is why a document is not read although it may hold a database.
func (o *Object) unread() (why Text, unread bool) {
	_, builtIn := kindOf(o.Kind)
	advice, deploys := deployments[o.Kind]
	switch {
	case builtIn || o.Kind == optionFile:
		return Text{}, false
	case o.Kind == "":
		return o.noObject()
	case deploys && (o.Kind == "Kustomization" && strings.Contains(o.group(), "kustomize.config") || mentionsServer.MatchString(o.Value.source())):
		return said("a %s is not read; render it first: `%s`", o.Kind, advice), true
	case o.serverInTemplate():
		return said("the kind %s of %s is not read; it has a pod template with a server", o.Kind, o.APIVersion), true
	case !ofDatabase.MatchString(o.Kind) && !ofDatabase.MatchString(o.group()) || besideDatabase.MatchString(o.Kind) || otherDatabase.MatchString(o.Kind) || !o.Value.Get("spec").Exists():
		return Text{}, false
	}
	if _, ok := operatorOf(o); ok {
		return Text{}, false
	}
	for _, op := range operator.All() {
		if op.Kind == o.Kind || op.Group == o.group() && besideServers(op, o.Kind) {
			if op.Kind != o.Kind {
				return Text{}, false
			}
			return said("the kind %s is read of %s, not of %s", o.Kind, op.Group, o.APIVersion), true
		}
	}
	return said("the kind %s of %s is not read", o.Kind, o.APIVersion), true
}

// besideServers is whether a kind is another one of an operator whose resource with servers is read.
func besideServers(op operator.Descriptor, kind string) bool { return op.Kind != kind }

// noObject judges a document without apiVersion and kind: values of a chart, a file of Docker Compose.
func (o *Object) noObject() (why Text, unread bool) {
	if o.APIVersion != "" || !o.Value.IsMap() {
		return Text{}, false
	}
	for _, service := range o.Value.Get("services").Fields() {
		if _, _, server := serverImage(service.Get("image").Text()); server {
			return said("a file of Docker Compose is not read"), true
		}
	}
	if values.MatchString(path.Base(o.file.Name)) && mentionsServer.MatchString(o.Value.source()+" "+o.file.Name) {
		return said("values of a chart are not read; render the chart first: `%s`", "helm template CHART -f "+path.Base(o.file.Name)+" | tare lint -"), true
	}
	return Text{}, false
}

var values = regexp.MustCompile(`values.*\.ya?ml$`)

// serverInTemplate is whether an object of a kind that is not built in has a pod template with a server's image.
func (o *Object) serverInTemplate() bool {
	for _, c := range o.Value.Get("spec", "template", "spec", "containers").Items() {
		if _, _, server := serverImage(c.Get("image").Text()); server {
			return true
		}
	}
	return false
}

// source is the text of a mapping's file from where it begins, at most to the next document.
func (v Value) source() string {
	s := v.Spot()
	if v.file == nil || s.start >= len(v.file.Text) {
		return ""
	}
	rest := v.file.Text[s.start:]
	if end := documentMark.FindIndex(rest); end != nil && end[0] > 0 {
		rest = rest[:end[0]]
	}
	return string(rest)
}

// Leave notes that something was not read that may hold a database, such as a Kustomization that cannot be built.
func (s *Set) Leave(file, title string, why error) {
	s.left = append(s.left, Unread{Title: title, Kind: "Kustomization", Where: Spot{File: file, Line: 1, Column: 1}, Why: said("it cannot be built: %s", why.Error())})
}
