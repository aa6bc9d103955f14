package experiment

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// MaxSize is the largest experiment file that is read.
const MaxSize = 1 << 20

// Parse reads an experiment, with its paths as they are written: the record of a run has absolute
// ones, and a user's file is read by [ParseIn]. The error is a Problems with everything that can
// be known from the file alone.
func Parse(file string, text []byte) (*Experiment, error) {
	root, err := parseYAML(file, text, experimentFile)
	if err != nil {
		return nil, err
	}
	return decoded(document{file: file, node: root, anchors: anchorsOf(root)}, text)
}

// decoded is the experiment of a parsed file, whose text is kept with it.
func decoded(at document, text []byte) (*Experiment, error) {
	e := Defaults()
	e.Source, e.at = text, at
	d := &decoder{document: e.at}
	d.value(at.node, reflect.ValueOf(&e).Elem(), "")
	if !isMapping(d.resolve(at.node)) { // nothing of an experiment is there to check
		return nil, d.problems.Err()
	}
	e.Database.splitImage()
	e.settleData()
	e.settleFind()
	e.expand(d)
	e.settleAlone()
	problems := append(d.problems, e.check(d.problems)...)
	return &e, problems.Err()
}

// fileKind is what a kind of file is called in messages.
type fileKind struct {
	noun  string
	empty string // what helps with an empty file
}

var experimentFile = fileKind{noun: "experiment", empty: "`tare demo --print-spec` prints one to start from"}

// a is the noun with its article.
func (k fileKind) a() string {
	if strings.HasPrefix(k.noun, "e") {
		return "an " + k.noun
	}
	return "a " + k.noun
}

func parseYAML(file string, text []byte, kind fileKind) (ast.Node, error) {
	fail := func(line, column int, message string) error {
		return Problems{{File: file, Line: line, Column: column, Message: message}}
	}
	if len(text) > MaxSize {
		return nil, fail(0, 0, fmt.Sprintf("the file is larger than %d bytes; %s is not", MaxSize, kind.a()))
	}
	if line := tooDeep(text); line > 0 {
		return nil, fail(line, 0, fmt.Sprintf("more than %d levels of nesting; %s has fewer than ten", mostNested, kind.a()))
	}
	parsed, err := parser.ParseBytes(text, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			p := syntax.GetToken().Position
			return nil, fail(p.Line, p.Column, "not YAML: "+syntax.GetMessage())
		}
		return nil, fail(0, 0, "not YAML: "+err.Error())
	}
	var bodies []ast.Node
	for _, doc := range parsed.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		return nil, fail(0, 0, "the file is empty; "+kind.empty)
	}
	if at, manifest := foreignManifest(bodies); manifest != "" && kind.noun == experimentFile.noun {
		line, column := position(at)
		return nil, fail(line, column, fmt.Sprintf("this is a Kubernetes manifest (kind %s) and no experiment; `tare init --manifests %s` makes an experiment of manifests", manifest, file))
	}
	if len(bodies) > 1 {
		line, column := position(bodies[1])
		return nil, fail(line, column, fmt.Sprintf("a file holds one %s; put this one into a file of its own", kind.noun))
	}
	return bodies[0], nil
}

// foreignManifest is the first object of a file that has objects of Kubernetes and no experiment, with its kind; "" for
// another file.
func foreignManifest(bodies []ast.Node) (at ast.Node, kind string) {
	for _, body := range bodies {
		fields := map[string]string{}
		for _, v := range mappingValues(body) {
			fields[keyText(v.Key)], _ = scalarText(v.Value)
		}
		switch {
		case fields["kind"] == Kind || strings.HasPrefix(fields["apiVersion"], strings.Split(APIVersion, "/")[0]+"/"):
			return nil, ""
		case at == nil && fields["kind"] != "" && fields["apiVersion"] != "":
			at, kind = body, fields["kind"]
		}
	}
	return at, kind
}

// splitImage lets `image: rootfs:/path` and `image: oci:/path` say the same as
// the fields of those names: people write the place where they write the image.
func (db *Database) splitImage() {
	if path, ok := strings.CutPrefix(db.Image, "rootfs:"); ok && db.Rootfs == "" {
		db.Image, db.Rootfs = "", path
	}
	if path, ok := strings.CutPrefix(db.Image, "oci:"); ok && db.OCI == "" {
		db.Image, db.OCI = "", path
	}
}

// settleData takes the default tables away where a scale or a workload file is in their
// place; what the experiment gives beside it stays, and is a contradiction.
func (e *Experiment) settleData() {
	at := e.at.child(e.at.node, "data")
	if e.Data.Scale == 0 && !IsWorkloadFile(e.Load.Workload) {
		return
	}
	if at == nil || e.at.child(at, "tables") == nil {
		e.Data.Tables = 0
	}
	if at == nil || e.at.child(at, "rows") == nil {
		e.Data.Rows = 0
	}
}

// namePattern is what goes into paths, cgroup and container names.
var namePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// ValidName reports whether s can name an experiment or an arm.
func ValidName(s string) bool { return namePattern.MatchString(s) }

// addressPattern is what an arm can be called whose server runs already: nothing is made there that would have its
// name, so that it can be the server's address, such as 127.0.0.1:3307.
var addressPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9.:-]{0,38}[a-z0-9])?$`)

// ValidAddressName reports whether s can name an arm of target external.
func ValidAddressName(s string) bool { return addressPattern.MatchString(s) }

// check says what is impossible or contradicts itself. A field that could not
// be decoded is not complained about twice.
func (e *Experiment) check(known Problems) Problems {
	c := &checker{e: e, known: known}
	c.want(e.APIVersion == APIVersion, "apiVersion", "write apiVersion: %s", APIVersion)
	c.want(e.Kind == Kind, "kind", "write kind: %s", Kind)
	c.want(ValidName(e.Metadata.Name), "metadata.name",
		"expected a name of at most 40 lower-case letters, digits and dashes; it becomes part of the name of the run directory")
	c.database("database", e.Database)
	c.load()
	c.find()
	c.latency()
	c.protocol(e.Protocol)
	c.size(e.Protocol)
	c.attribute()
	c.remedies()
	c.arms()
	c.hypotheses()
	return c.found
}

type checker struct {
	e            *Experiment
	known, found Problems
}

func (c *checker) want(ok bool, field, format string, args ...any) {
	if ok {
		return
	}
	for _, p := range c.known {
		if p.Field == field || strings.HasPrefix(p.Field, field+".") || strings.HasPrefix(p.Field, field+"[") {
			return
		}
	}
	c.found = append(c.found, c.e.Problem(field, format, args...))
}

func (c *checker) database(field string, db Database) {
	given := []string{}
	for _, s := range []struct{ name, value string }{{"image", db.Image}, {"rootfs", db.Rootfs}, {"oci", db.OCI}, {"path", db.Path}} {
		if s.value != "" {
			given = append(given, s.name)
		}
	}
	c.want(len(given) <= 1, field, "a server has one source, but %s are given; keep one", strings.Join(given, " and "))
	for name, value := range db.Config {
		c.option(field+".config."+name, name, value)
	}
}

// ownServer is what can be wrong with the server of one arm.
func (c *checker) ownServer(field string, db *Database) {
	if db == nil {
		return
	}
	c.database(field, *db)
	c.want(db.Image+db.Rootfs+db.OCI+db.Path != "", field, "expected path, rootfs, oci or image, the files of this arm's server")
	c.want(len(db.Config) == 0, field+".config", "the options of an arm are beside its database; write config: in the arm")
}

var optionPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

func (c *checker) option(field, name, value string) {
	c.want(optionPattern.MatchString(name), field, "not a name of a server option")
	c.want(!strings.ContainsAny(value, "\n\r\x00"), field, "a server option is one line")
}

func (c *checker) load() {
	l, d := c.e.Load, c.e.Data
	if IsWorkloadFile(l.Workload) {
		c.want(d.Tables == 0, "data.tables", "a workload file has its own tables; leave out data.tables")
		c.want(d.Rows == 0, "data.rows", "a workload file has the rows of its tables; leave out data.rows")
		c.want(d.Scale == 0, "data.scale", "a workload file has the rows of its tables; leave out data.scale")
	} else if d.Scale == 0 {
		c.want(d.Tables >= 1 && d.Tables <= 10_000, "data.tables", "1 to 10000 tables are possible, not %d", d.Tables)
		c.want(d.Rows >= 1, "data.rows", "expected at least 1 row per table, not %d", d.Rows)
	} else {
		c.want(d.Scale >= 1, "data.scale", "expected at least 1, not %d", d.Scale)
		c.want(d.Tables == 0 && d.Rows == 0, "data.scale", "scale replaces tables and rows; leave out either scale or both others")
	}
	c.want(slices.Contains([]string{"", EachCopy, EachRefill, EachKeep}, d.Each), "data.each", "expected copy, refill or keep, not %q", d.Each)
	c.ownData(d)
	c.want(l.Workload != "", "load.workload", "name a workload; `tare list workloads` shows them")
	c.want(len(l.Threads) > 0, "load.threads", "expected at least one number of threads, for example threads: 8")
	c.threads(l.Threads)
	c.want(l.Reconnect.Delay >= 0 && l.Reconnect.Delay.Std() <= time.Minute, "load.reconnect.delay", "expected a time from 0s to 1m, not %s", l.Reconnect.Delay)
	c.want(l.Percentile > 0 && l.Percentile <= 100, "load.percentile", "expected a percentile above 0 and at most 100")
}

// threads wants numbers that are possible, each once. One mistake is one problem, at its
// place in the list.
func (c *checker) threads(all Counts) {
	if len(all) > MostLevels {
		c.want(false, "load.threads", "%d numbers of threads are too many; at most %d are possible", len(all), MostLevels)
		return
	}
	seen := map[int]bool{}
	for i, n := range all {
		field := "load.threads"
		if len(all) > 1 {
			field = fmt.Sprintf("%s[%d]", field, i)
		}
		if possible := n >= 1 && n <= 100_000; !possible {
			c.want(false, field, "1 to 100000 threads are possible, not %d", n)
			continue
		}
		c.want(!seen[n], field, "%d is given twice", n)
		seen[n] = true
	}
}

// twoArms is the problem of an experiment that compares nothing.
const twoArms = "expected at least two arms, to compare one with the other; one arm is enough for its capacity (load.find) and for its events"

// WithoutComparison is what is wrong with the file of an experiment of which only database, data, load and protocol are
// used: that it has one arm, and names no baseline, is not.
func (e *Experiment) WithoutComparison(err error) error {
	var problems Problems
	if len(e.Arms) != 1 || !errors.As(err, &problems) {
		return err
	}
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool {
		return p.Field == "arms" && p.Message == twoArms || p.Field == "baseline" && e.Baseline == ""
	}).Err()
}

func (c *checker) arms() {
	e := c.e
	unmade := false // arms that an attribution would have made, and of which its own mistake is said
	if e.Attribute != nil {
		from, _ := e.Arm(e.Attribute.From)
		unmade = len(e.Attribute.foreign(from)) > 0
	}
	c.want(len(e.Arms) >= 2 || e.Alone() || unmade, "arms", twoArms)
	for _, a := range e.Arms {
		field := "arms." + a.Name
		if a.Target == "external" {
			c.want(ValidAddressName(a.Name), field, "expected a name of at most 40 lower-case letters, digits, dashes, dots and colons")
		} else {
			c.want(ValidName(a.Name), field, "expected a name of at most 40 lower-case letters, digits and dashes")
		}
		c.want(a.Target != "", field, "the arm has no target; add target: process, container or external")
		c.ownServer(field+".database", a.Database)
		for name, value := range a.Config {
			c.option(field+".config."+name, name, value)
		}
	}
	_, found := e.Arm(e.Baseline)
	if e.Baseline == "" {
		c.want(false, "baseline", "name the arm that the others are compared with, for example baseline: %s", first(e.Arms))
		return
	}
	c.want(found, "baseline", "unknown arm %q; the arms are %s", e.Baseline, strings.Join(e.Arms.Names(), ", "))
}

func first(arms Arms) string {
	if len(arms) == 0 {
		return "bare"
	}
	return arms[0].Name
}

// Names are the arms' names in the order of the file.
func (as Arms) Names() []string {
	all := make([]string, len(as))
	for i, a := range as {
		all[i] = a.Name
	}
	return all
}
