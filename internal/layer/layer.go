// Package layer lists the layers that Kubernetes adds around a database, the setting that
// enables each of them alone, and whether this machine supports it.
package layer

import "context"

// Layer is one way to switch a layer on. Several rows may have one name: the
// forms that a layer takes.
type Layer struct {
	// Name is the layer's, in one or two words: "pod network".
	Name string
	// Setting is what to write in an arm of target container: YAML.
	Setting string
	// Attribute is the name that stands for such a setting in attribute: layers
	// (experiment.KnownLayers), "" where it has to be written out.
	Attribute string
	// Help says what it does to the server, without an article and a full stop.
	Help string
	// Probe returns nil when this machine can do it, else why not, by trying and
	// undoing; it leaves nothing. nil: every machine that runs containers can.
	Probe func(context.Context) error
}
