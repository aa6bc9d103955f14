# The parts of make test.

.PHONY: unit measured spare installed compiled unraced raced filled race fuzz

# The race detector watches the packages that run things at the same time. The others only
# compute; and Kubernetes' client, which cmd/tare and target/kubernetes are linked with, takes
# minutes to compile once more. make race has the detector everywhere.
RACED   := ./internal/campaign ./internal/capture ./internal/observe ./internal/loadgen/... ./internal/mysqld/... ./internal/network ./internal/node ./internal/probe ./internal/progress \
	./internal/runner ./internal/serve ./internal/spawn ./internal/target ./internal/target/container ./internal/target/external ./internal/target/process
# Those whose tests of TPC-C run without it.
FILLED  := ./internal/capture ./internal/loadgen/fill ./internal/loadgen/loop
UNRACED  = $$(go list ./... | grep -vxF "$$(go list $(RACED))")
TESTENV := TARE_TEST_ROOTFS=$(ROOTFS) TARE_TEST_MARIADB=$(MARIADB) TARE_TEST_INITIALISED=$(CACHE)/initialised TARE_PYTHON=$(CACHE)/python/bin/python TARE_PROMETHEUS=$(CACHE)/prometheus/usr/bin

# -count=1: a result from the cache is no test, and finding out what such a result depends on takes
# longer than the tests that could have one. -vet=off: make lint runs go vet; here it would analyze all
# dependencies, once with the race detector and once without. -ldflags=-w: without DWARF, which only a
# debugger reads, linking takes a quarter to a half less.
GOTEST := go test -count=1 -vet=off -ldflags=-w

unit: build measured unraced raced filled

# Tests whose outcome depends on what they measure; and clocks that are compared at 10 us, for which
# the race detector is too slow and other tests are too loud.
MEASURED := TestEffects
# Parts of an outage within 0.2 s of what is known of them.
TIMED := TestRoutingAndReconnect
measured: build
	$(TESTENV) $(GOTEST) -run '^$(MEASURED)$$' -timeout 60m ./cmd/tare
	$(GOTEST) -run '^TestC[01][0-9]' ./internal/loadgen/latency
	$(TESTENV) $(GOTEST) -run '^TestLatencyIsThatOfThePackets$$' ./internal/loadgen/loop
	$(TESTENV) $(GOTEST) -run '^$(TIMED)$$' ./internal/target/process

# What only computes, the documentation, the pages in a browser, and the compilation of what the other
# tests run, under SCHED_IDLE (sched(7)): most of the time the tests above wait for servers.
spare:
	chrt --idle 0 $(MAKE) lint fuzz compiled site page release-test portable SYSTEMS="darwin/arm64 windows/amd64"

# The package manager does one thing at a time.
installed:
	$(MAKE) -j1 setup-test

# Not go test -exec true: it links each of them as well, for nothing.
compiled:
	go list -export -test $(UNRACED) $(FILLED) >/dev/null
	CGO_ENABLED=1 go list -race -export -test $(RACED) >/dev/null

# Without a prerequisite: with -j, make would begin the targets after it first.
unraced:
	$(TESTENV) $(GOTEST) -skip '^$(MEASURED)$$' -timeout 40m $(UNRACED)

raced:
	$(TESTENV) CGO_ENABLED=1 $(GOTEST) -race -skip '^$(TIMED)$$' -timeout 40m $(RACED)

# TPC-C in the packages of RACED, without the race detector: it takes as long again to make the rows.
filled:
	$(TESTENV) $(GOTEST) -run TPCC -timeout 20m $(FILLED)

race: build
	$(TESTENV) CGO_ENABLED=1 go test -race -timeout 60m ./...

# A number of inputs, not a time: at the end of a time, a fuzzing test can take its own deadline
# for a failure (https://go.dev/issue/75804, fixed in Go 1.27). Most targets take
# thousands of inputs a second; those that read a whole /proc or log, or make a plan, for each: hundreds.
FUZZTIME ?= 2000x
FUZZSLOW ?= 200x
SLOWFUZZ := */probe:FuzzFiles|*/capture:FuzzReadLog|*/loadgen:FuzzSysbench|*/experiment:FuzzParse|*/operator:FuzzParse|*/workload/file:FuzzParse|*/record:FuzzUnpack|*/record:FuzzPlan|*/target/kubernetes:FuzzAnswer|*/mysqld:FuzzUntar

# Every fuzz target for a bounded number of inputs. What fuzzing has found before is
# in testdata and runs with the unit tests.
fuzz:
	@sh scripts/fuzz.sh $(CACHE)/fuzz $(FUZZTIME) '$(SLOWFUZZ)' $(FUZZSLOW)
