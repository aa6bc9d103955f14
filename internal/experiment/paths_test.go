package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/go-cmp/cmp"
)

const withPaths = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x} # the name
database: {image: "rootfs:../my sql", config: {ssl_ca: ca.pem, init_file: ./x.sql}}
data:
  directory: 'disk''s'
  from: {directory: backup, dump: /dumps/a.sql, clone: {host: h, user: u, passwordFile: a/../pw, ca: ~}}
load: {workload: ./grüße.lua, from: {image: i, kubeconfig: load.kubeconfig}}
baseline: a
defaults: {target: kubernetes, kubeconfig: &k 'k', resource: null}
arms:
  a: {manifests: [one.yaml, "/abs/two.yaml", deploy/], patches: {path: p.yaml, patch: patch.yaml}} # ours
  b: {database: {rootfs: other, path: bin/mysqld}, manifests: deploy, operator: moco.yaml}
  c:
    operator: innodbcluster
    resource: db.yaml
    kubeconfig: *k
  d: {target: external, socket: run/mysqld.sock, passwordFile: "pw", ca: ../ca.pem, user: socket/x}
attribute:
  from: c
  layers: {l: {resource: layer.yaml}}
remedies:
  r: {rule: X, finding: x, change: {operator: ./op.yml}}
`

// TestParseIn: every path is that of the directory, in the text as well, which is otherwise unchanged; no other value
// is.
func TestParseIn(t *testing.T) {
	e, _ := ParseIn("/srv/x", "x.yaml", []byte(withPaths))
	want := strings.NewReplacer(
		`"rootfs:../my sql"`, `"rootfs:/srv/my sql"`, `'disk''s'`, `"/srv/x/disk's"`, `directory: backup`, `directory: /srv/x/backup`, `a/../pw`, `/srv/x/pw`,
		`./grüße.lua`, `"/srv/x/grüße.lua"`, `load.kubeconfig`, `/srv/x/load.kubeconfig`, `'k'`, `/srv/x/k`, `[one.yaml`, `[/srv/x/one.yaml`, `deploy/]`, `/srv/x/deploy]`,
		`path: p.yaml`, `path: /srv/x/p.yaml`, `rootfs: other`, `rootfs: /srv/x/other`, `bin/mysqld`, `/srv/x/bin/mysqld`, `manifests: deploy`, `manifests: /srv/x/deploy`, `moco.yaml`, `/srv/x/moco.yaml`, `resource: db.yaml`, `resource: /srv/x/db.yaml`,
		`run/mysqld.sock`, `/srv/x/run/mysqld.sock`, `"pw"`, `/srv/x/pw`, `../ca.pem`, `/srv/ca.pem`, `layer.yaml`, `/srv/x/layer.yaml`, `./op.yml`, `/srv/x/op.yml`,
	).Replace(withPaths)
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(e.Source), "\n")); d != "" {
		t.Error(d)
	}
	again, _ := Parse("x.yaml", e.Source)
	for _, arm := range e.Arms {
		if b, ok := again.Arm(arm.Name); !ok || arm.Settings() != b.Settings() {
			t.Errorf("arm %s has %s, and its text %s", arm.Name, arm.Settings(), b.Settings())
		}
	}
	if e.Database.Rootfs != "/srv/my sql" || e.Load.Workload != "/srv/x/grüße.lua" || e.Data.From.Clone.CA != "" || e.Data.From.Dump != "/dumps/a.sql" {
		t.Errorf("%+v %+v %+v", e.Database, e.Load, e.Data.From)
	}
	moved, _ := ParseIn("/elsewhere", "x.yaml", e.Source)
	if d := cmp.Diff(string(e.Source), string(moved.Source)); d != "" {
		t.Errorf("absolute paths are changed: %s", d)
	}
}

// TestParseInPlaces: what is wrong with a file stands where the user wrote it, and a path that cannot be followed is
// said.
func TestParseInPlaces(t *testing.T) {
	text := "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\narms: {a: {target: external, ca: ca.pem}, b: {target: external, ca: 12, socket: x}, c: nothing}\n"
	_, err := ParseIn("/srv", "x.yaml", []byte(text))
	_, plain := Parse("x.yaml", []byte(text))
	if err == nil || plain == nil || err.Error() != "x.yaml:5:69: arms.b.ca: expected a path on one line; a path that looks like a number needs quotes\n"+plain.Error() {
		t.Errorf("%v\nwithout paths: %v", err, plain)
	}
	for _, folded := range []string{"|\n      ca.pem\n", "one\n      two\n", "\"one\n      two\"\n"} {
		_, err := ParseIn("/srv", "x.yaml", []byte("arms:\n  a:\n    ca: "+folded))
		if err == nil || !strings.Contains(err.Error(), "arms.a.ca: expected a path on one line") {
			t.Errorf("%q: %v", folded, err)
		}
	}
}

// FuzzParseIn: whatever stands in a file, its text and what was read of it have the same paths, and all are absolute.
func FuzzParseIn(f *testing.F) {
	f.Add(withPaths)
	f.Add(strings.ReplaceAll(withPaths, "\n", "\r\n"))
	f.Add("arms: {a: {<<: &x {ca: y}, socket: *x}}\n\tb: ca")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseIn("/srv", "x.yaml", []byte(text))
		if err != nil || e == nil {
			return
		}
		again, err := Parse("x.yaml", e.Source)
		if err != nil {
			t.Fatalf("%v\n%s", err, e.Source)
		}
		var now, then []string
		(&decoder{document: e.at}).eachPath(func(_ PathField, node ast.Node, path string) {
			s, _ := scalarText(node)
			now = append(now, path+" "+s)
		})
		(&decoder{document: again.at}).eachPath(func(_ PathField, node ast.Node, path string) {
			s, _ := scalarText(node)
			then = append(then, path+" "+s)
		})
		if !slices.Equal(now, then) {
			t.Errorf("%q\n%q\n%s", now, then, e.Source)
		}
	})
}
