package main

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/target/container"
	"github.com/tarebench/tare/internal/target/kubernetes"
	"github.com/tarebench/tare/internal/target/process"
)

// TestNamedLayersAreListed: what attribute: layers knows by name stands in one
// row of tare list layers, and what that shows can be written.
func TestNamedLayersAreListed(t *testing.T) {
	rows := map[string]int{}
	for _, l := range layer.All(nil) {
		if l.Attribute != "" {
			rows[l.Attribute]++
		}
	}
	for _, k := range experiment.KnownLayers() {
		if rows[k.Name] != 1 {
			t.Errorf("%s stands in %d rows", k.Name, rows[k.Name])
		}
		delete(rows, k.Name)
	}
	for name := range rows {
		t.Errorf("%s is shown and not known", name)
	}
}

// TestTargetsOfLayers: the targets that a known layer is listed for are those whose settings its patch changes; and an
// attribution of an arm of a cluster with others is one mistake, at attribute.layers, with what to write.
func TestTargetsOfLayers(t *testing.T) {
	settings := map[string]any{"process": process.Settings{}, "container": container.Settings{}, "kubernetes": kubernetes.Settings{}}
	for _, k := range experiment.KnownLayers() {
		if k.Name == "container" {
			continue // it changes the target
		}
		for name, of := range settings {
			text := "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\narms:\n  a: {target: " + name + "}\n  b: " + "{target: " + name + ", " + k.Patch[1:] + "\n"
			e, _ := experiment.Parse("x.yaml", []byte(text))
			b, ok := e.Arm("b")
			if !ok {
				t.Fatal(text)
			}
			fits := b.Decode(reflect.New(reflect.TypeOf(of)).Interface()) == nil
			if listed := slices.Contains(k.Targets, name); listed && !fits {
				t.Errorf("%s: listed for target %s, whose settings it does not fit", k.Name, name)
			} else if fits && !listed && name == "kubernetes" && k.Name != "block" { // of a word its check says what it is
				t.Errorf("%s: not listed for target %s, whose settings it fits", k.Name, name)
			}
		}
	}
}
