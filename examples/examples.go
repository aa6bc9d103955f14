// Package examples holds experiments to run and to adapt.
package examples

import _ "embed"

// Demo is the experiment of `tare demo`.
//
//go:embed demo.yaml
var Demo []byte

// Layers is the experiment of `tare demo --attribute`. It has DemoServer,
// DemoThreads and DemoNeighbour too.
//
//go:embed layers.yaml
var Layers []byte

// LayersProtocol is the line of Layers that `tare demo` replaces with --quick and --rounds, and
// LayersQuota the layer that is made as large as half of the machine.
const (
	LayersProtocol = "protocol: {rounds: 6, warmup: 1s, measure: 2400ms, ready: 60s, seed: 2019, aa: false, voids: 0}"
	LayersQuota    = "quota: {cpu: 1,"
)

// DemoServer is the line of Demo that is replaced by where the server comes from.
const DemoServer = "  # server"

// DemoProtocol is the line of Demo that `tare demo` replaces with --quick and --rounds.
const DemoProtocol = "protocol: {rounds: 8, warmup: 1s, measure: 2s, ready: 60s, seed: 2019, aa: false, voids: 0}"

// DemoThreads and DemoNeighbour are the places of Demo that `tare demo` makes
// as large as the machine: as written, they are those of 2 CPUs.
const (
	DemoThreads   = "threads: 8"
	DemoNeighbour = "cpu: 1, request: 100m"
)
