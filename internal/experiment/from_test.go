package experiment

import (
	"errors"
	"strings"
	"testing"
)

// podsOf is what a reader of load.from's fields may want.
type podsOf struct {
	Image        string            `yaml:"image"`
	Clients      int               `yaml:"clients"`
	NodeSelector map[string]string `yaml:"nodeSelector"`
}

// fromFile is an experiment with this place of the load.
func fromFile(load string) string {
	return "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\n" + load +
		"baseline: a\narms:\n  a: {target: external}\n  b: {target: external}\n"
}

// TestFrom: load.from is this host, pods whose fields somebody else reads, or absent.
func TestFrom(t *testing.T) {
	for load, want := range map[string]struct{ host, pods bool }{
		"":                                       {},
		"load: {from: host}\n":                   {host: true},
		"load: {from: {image: t, clients: 2}}\n": {pods: true},
		"load: {from: {}}\n":                     {pods: true},
		"load: {from: }\n":                       {},
	} {
		e, err := Parse("x.yaml", []byte(fromFile(load)))
		if err != nil {
			t.Fatalf("%q: %v", load, err)
		}
		if host := e.Load.From != nil && e.Load.From.Host; host != want.host || e.Load.From.Pods() != want.pods {
			t.Errorf("%q: host %v, pods %v", load, host, e.Load.From.Pods())
		}
	}
}

// TestFromFields: the fields of the pods are read strictly, and every mistake has its
// place in the file.
func TestFromFields(t *testing.T) {
	e, err := Parse("x.yaml", []byte(fromFile("load:\n  from:\n    image: t\n    clients: 2\n    nodeSelector: {pool: load}\n")))
	if err != nil {
		t.Fatal(err)
	}
	var pods podsOf
	if err := e.Load.From.Decode(&pods); err != nil || pods.Image != "t" || pods.Clients != 2 || pods.NodeSelector["pool"] != "load" {
		t.Errorf("%+v, %v", pods, err)
	}
	if p := e.Load.From.Problem("clients", "too few"); p.Line != 7 || p.Field != "load.from.clients" {
		t.Errorf("problem at line %d, field %s", p.Line, p.Field)
	}
	if !e.Load.From.Has("image") || e.Load.From.Has("context") {
		t.Error("Has: image is given and context is not")
	}
	e, err = Parse("x.yaml", []byte(fromFile("load:\n  from:\n    image: t\n    client: many\n    clients: many\n")))
	if err != nil {
		t.Fatal(err)
	}
	var problems Problems
	if err := e.Load.From.Decode(&pods); !errors.As(err, &problems) || len(problems) != 2 || problems[0].Line != 7 || problems[1].Line != 8 {
		t.Errorf("mistakes: %v", err)
	}
	_, err = Parse("x.yaml", []byte(fromFile("load: {from: laptop}\n")))
	if err == nil || !strings.Contains(err.Error(), "load.from: expected host, which is this machine, or the fields of pods") {
		t.Errorf("another word: %v", err)
	}
}
