# Everything a fresh machine needs is installed by these targets, once; what the
# machine already has is taken. Downloads and builds go into .cache (ignored by
# git) or through the system's package manager.

CACHE  := $(CURDIR)/.cache
TOOLS  := $(CACHE)/bin
ROOTFS := $(CACHE)/mysql
MARIADB := $(CACHE)/mariadb
LAB    := $(CACHE)/lab
export TARE_STATE ?= $(CACHE)/state
# As a release is built. And alike everywhere: on a fresh machine every other set of
# flags compiles Kubernetes' types once more, which takes minutes.
export GOFLAGS := -trimpath
export CGO_ENABLED := 0

GOLANGCI := v2.15.0
# A number of inputs, not a time: at the end of a time, a fuzzing test can take its own deadline
# for a failure (https://go.dev/issue/75804, fixed in Go 1.27). Most targets take
# thousands of inputs a second; those that read a whole /proc or log, or make a plan, for each: hundreds.
FUZZTIME ?= 2000x
FUZZSLOW ?= 200x
SLOWFUZZ := */probe:FuzzFiles|*/capture:FuzzReadLog|*/loadgen:FuzzSysbench|*/experiment:FuzzParse|*/operator:FuzzParse|*/workload/file:FuzzParse|*/record:FuzzUnpack|*/record:FuzzPlan|*/target/kubernetes:FuzzAnswer|*/mysqld:FuzzUntar

.PHONY: portable guest lab-guest corpus mutants soak build man completions image release release-test reproducible demo test bench bench-probes bench-protocol slice-lengths freezing calibrate campaigns controls live-faults replay capture-truth captured-cost own-data studies second-study third-study networks lint web clean setup-run setup-test installed unit spare compiled measured unraced raced race fuzz page site crash vulnerabilities

build: bin/tare

# From the tag, where there is one (scripts/version.sh).
VERSION = $(shell sh scripts/version.sh)

bin/tare: FORCE
	go build -ldflags "-X main.version=$(VERSION)" -o $@ ./cmd/tare
FORCE:

# --- what a release is made of -------------------------------------------------

NFPM := v2.44.0
# All files of a release in dist: archives, packages, image, checksums. `make release-test` installs them.
DIST := dist
release: man completions $(TOOLS)/nfpm-$(NFPM)
	rm -rf $(DIST)
	$(MAKE) image IMAGE=$(DIST)/tare_$(VERSION)_image.tar
	sh scripts/release.sh $(DIST) $(VERSION) $(TOOLS)/nfpm-$(NFPM) $(RELEASE) $(ARCHS)

# Installed as docs/install.md says, in root file systems of their own, for this machine's architecture.
release-test: setup-run
	$(MAKE) release ARCHS=$$(go env GOARCH) DIST=$(RELEASE)/dist
	$(TESTENV) TARE_TEST_RELEASE=$(CURDIR)/$(RELEASE)/dist $(GOTEST) -run '^TestReleaseInstalls$$' ./cmd/tare

$(TOOLS)/nfpm-v%:
	GOBIN=$(TOOLS)/tmp go install github.com/goreleaser/nfpm/v2/cmd/nfpm@v$*
	mv $(TOOLS)/tmp/nfpm $@

# Manual pages and shell completions, from the same texts as help.
RELEASE := .cache/release
man: build
	rm -rf $(RELEASE)/man && mkdir -p $(RELEASE)
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 0) bin/tare man $(RELEASE)/man
completions: build
	rm -rf $(RELEASE)/completions && mkdir -p $(RELEASE)/completions
	for shell in bash zsh fish; do bin/tare completion $$shell >$(RELEASE)/completions/tare.$$shell; done

# The container image as an OCI archive for amd64 and arm64, without Docker. The same
# commit gives the same bytes.
IMAGE ?= $(DIST)/tare-image.tar
ARCHS ?= amd64 arm64
image: build
	for arch in $(ARCHS); do \
	  GOARCH=$$arch go build -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o $(RELEASE)/image/tare-$$arch ./cmd/tare || exit 1; \
	done
	mkdir -p $(dir $(IMAGE))
	bin/tare image $(foreach arch,$(ARCHS),--binary $(arch)=$(RELEASE)/image/tare-$(arch)) --out $(IMAGE)

# All files of a release, made in two clones, are the same bytes: ten minutes and more.
reproducible: $(TOOLS)/nfpm-$(NFPM)
	sh scripts/reproducible.sh $(TOOLS)/nfpm-$(NFPM)

# tare for the systems on which it reads, and measures clusters and external servers. Each takes three minutes of CPU
# time the first time.
SYSTEMS ?= darwin/arm64 darwin/amd64 windows/amd64
portable:
	for system in $(SYSTEMS); do \
	  GOOS=$${system%/*} GOARCH=$${system#*/} go build -o /dev/null ./cmd/tare || exit 1; \
	done

# --- what people run ---------------------------------------------------------

demo: build setup-run
	bin/tare demo --database rootfs:$(ROOTFS) $(if $(ROUNDS),--rounds $(ROUNDS))

# With the tests of a real cluster where Kubernetes is built already, or where there are
# processors for it: two need ten to twenty minutes for that alone. LAB_TEST=lab-test has
# them anywhere.
LAB_TEST ?= $(shell [ -x $(LAB)/bin/kube ] || [ "$$(nproc)" -ge 4 ] && echo lab-test || echo lab-left-out)
#
# cmd/tare takes longest and mostly waits for servers, so all else runs beside it. What depends on
# how fast the machine is comes before, alone but for work that has only the CPU time nobody else asks for.
test:
	$(MAKE) -j2 build installed
	$(MAKE) -j2 measured spare
	$(MAKE) -j2 unraced raced filled
	$(MAKE) $(LAB_TEST)

# The load engine against sysbench and against a bare loop; the last line is one
# JSON object (docs/performance.md). CELLS=cpu/oltp_read_only@64 runs some of it.
CELLS ?= *
bench: setup-run
	go build -o $(CACHE)/bench ./internal/loadgen/bench
	$(CACHE)/bench -rootfs $(ROOTFS) -cells '$(CELLS)'

# What the probes take from a load: pairs of spans with and without them, 6 s a pair.
PAIRS ?= 100
bench-probes: setup-run
	TARE_TEST_ROOTFS=$(ROOTFS) go test -run '^$$' -bench '^BenchmarkProbesCost$$' -benchtime $(PAIRS)x -timeout 2h ./cmd/tare

# The same arms by slices and by windows: whether they agree, and the machine time that
# each needs for ±1 %. An hour in which nothing else may run.
bench-protocol: build setup-run
	@sh scripts/need.sh node:nodejs
	sh scripts/protocols.sh bin/tare $(ROOTFS) $(CACHE)/protocols

# A quota and a delay with slices of .1, .2, .5 and 1 s, which must agree: ten minutes. Read-write by
# slices with and without freezing, and by windows: seven minutes. Nothing else may run.
slice-lengths freezing: build setup-run
	@sh scripts/need.sh node:nodejs
	sh scripts/slices.sh $(patsubst slice-%,%,$@) bin/tare $(ROOTFS) $(CACHE)/slices

# The statistics' calibration tests at full size: what docs/calibration.md quotes.
calibrate:
	TARE_CALIBRATE=full go test -run '^TestC[0-3][0-9]' -v -count=1 -timeout 120m ./internal/stats ./internal/loadgen/latency ./internal/compare ./internal/capacity ./internal/campaign/campaigntest

# Twenty campaigns of two equal arms on this machine, with a real MySQL: an hour and
# three quarters in which nothing else may run. Fails above 4 false alarms.
CAMPAIGNS ?= 20
campaigns: build setup-run
	@sh scripts/need.sh node:nodejs
	sh scripts/campaigns.sh bin/tare $(ROOTFS) $(CACHE)/campaigns $(CAMPAIGNS)

# Sixteen faults in servers that another process loads, and twenty spans without one: which
# `tare explain --live` names. About 20 minutes; CPU steal and other load of the machine count.
# FAULTS="memory loss" selects faults; results in CACHE/live-faults are not measured again.
SPAN ?= 20s
HEALTHY ?= 20
live-faults: build setup-run
	@sh scripts/need.sh node:nodejs
	sh scripts/live-faults.sh bin/tare rootfs:$(ROOTFS) $(CACHE)/live-faults $(SPAN) $(HEALTHY) $(FAULTS)

# sysbench at RATE transactions/s, captured and replayed at the same rate on the same server,
# in alternating windows: rows, statements and latencies of both. Three minutes in which
# nothing else may run.
RATE ?= 300
replay: setup-run
	TARE_TEST_ROOTFS=$(ROOTFS) TARE_REPLAY_RATE=$(RATE) go test -run '^$$' -bench '^BenchmarkReplay$$' -benchtime 1x -timeout 30m ./internal/capture

# Programs of known kinds, rates and latencies, captured in four ways from MySQL and MariaDB: the table of
# docs/capture.md. Two minutes in which nothing else may run.
capture-truth: setup-test
	$(TESTENV) TARE_TRUTH_GAP=20ms go test -run '^TestFourWays$$' -count=1 -v -timeout 20m ./internal/capture

# What a quota of half a CPU costs: measured with oltp_read_write and with what was captured
# of it. Ten minutes in which nothing else may run. Fails where the intervals do not overlap.
COST_RUNS ?= 4
COST_ROUNDS ?= 2
captured-cost: build setup-run
	@sh scripts/need.sh node:nodejs
	sh scripts/captured-cost.sh bin/tare rootfs:$(ROOTFS) $(CACHE)/captured-cost $(RATE) $(COST_RUNS) $(COST_ROUNDS)

# A data directory of SIZE GiB serves three arms and is not written to. Needs up to five times
# SIZE on the disk of OWN_DATA, and fewer copies are made where there is less.
SIZE ?= 2
OWN_DATA ?= $(CACHE)/own-data
own-data: setup-run
	mkdir -p $(OWN_DATA)
	TARE_TEST_ROOTFS=$(ROOTFS) TARE_OWN_DATA_SIZE=$(SIZE) TARE_OWN_DATA_DIR=$(OWN_DATA) go test -run '^TestOwnData$$' -count=1 -v -timeout 3h ./cmd/tare

# The experiments of docs/studies.md, one after another: three and a half hours. What is
# already there in runs/studies is gone on with.
studies: build setup-run
	@sh scripts/need.sh chromium-headless-shell,chromium:chromium-headless-shell
	TARE=bin/tare DATABASE=rootfs:$(ROOTFS) scripts/studies runs/studies

# examples/second-study-local.yaml: three members, network paths, two link speeds and a delay. An hour in
# which nothing else may run. After an interruption it continues.
second-study: build setup-run
	@sh scripts/need.sh chromium-headless-shell,chromium:chromium-headless-shell nft:nftables iptables:iptables /usr/lib/cni/bridge,/opt/cni/bin/bridge,/usr/libexec/cni/bridge:containernetworking-plugins
	STUDIES=second-study-local TARE=bin/tare DATABASE=rootfs:$(ROOTFS) scripts/studies runs/studies

# examples/third-study-local.yaml: its mix of 50:50 at three numbers of threads, then 80:20 and 20:80 at
# one. An hour and a half in which nothing else may run. After an interruption it continues.
third-study: build setup-run
	@sh scripts/need.sh chromium-headless-shell,chromium:chromium-headless-shell
	STUDIES="third-study-local third-study-local@80 third-study-local@20" TARE=bin/tare DATABASE=rootfs:$(ROOTFS) scripts/studies runs/studies

# examples/kubernetes-networks.yaml over the five network plugins of the lab: an hour and a
# quarter. What is already there in runs/networks is not done again. EXPERIMENT=lab/operator/replicated.yaml
# is a replicated database of three pods instead, in runs/networks-replicated.
EXPERIMENT ?=
networks: setup-run
	$(MAKE) lab-build CNI=flannel-vxlan
	EXPERIMENT=$(EXPERIMENT) sh scripts/networks $(LAB) $(ROOTFS) runs/networks$(if $(EXPERIMENT),-$(basename $(notdir $(EXPERIMENT))))

# tare against what is known beforehand, with a real MySQL and nothing else running:
# doses of known size (a quarter of an hour), a CPU quota and a layer that cannot matter
# (ten minutes), ten secrets (half an hour), and servers of known capacity (a quarter of an hour).
# Each fails when it is not met.
controls: build setup-run
	@sh scripts/need.sh node:nodejs
	sh scripts/controls.sh dose bin/tare $(ROOTFS) $(CACHE)/controls
	sh scripts/controls.sh factors bin/tare $(ROOTFS) $(CACHE)/controls
	sh scripts/controls.sh blind bin/tare $(ROOTFS) $(CACHE)/controls
	sh scripts/controls.sh capacity bin/tare $(ROOTFS) $(CACHE)/controls 6 1s 4s

# --- parts of the test -------------------------------------------------------

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
measured: build
	$(TESTENV) $(GOTEST) -run '^$(MEASURED)$$' -timeout 60m ./cmd/tare
	$(GOTEST) -run '^TestC[01][0-9]' ./internal/loadgen/latency
	$(TESTENV) $(GOTEST) -run '^TestLatencyIsThatOfThePackets$$' ./internal/loadgen/loop

# What only computes, the documentation, the pages in a browser, and the compilation of what the other
# tests run, under SCHED_IDLE (sched(7)): most of the time the tests above wait for servers.
spare:
	chrt --idle 0 $(MAKE) lint fuzz compiled site page release-test

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
	$(TESTENV) CGO_ENABLED=1 $(GOTEST) -race -timeout 40m $(RACED)

# TPC-C in the packages of RACED, without the race detector: it takes as long again to make the rows.
filled:
	$(TESTENV) $(GOTEST) -run TPCC -timeout 20m $(FILLED)

race: build
	$(TESTENV) CGO_ENABLED=1 go test -race -timeout 60m ./...

# tare killed at every step of a run, and at KILLS random moments; the server, the load
# generator and a member at every step of a trial: two hours. After
# each kill it looks for what is left behind, and at the end for what was lost.
KILLS ?= 200
crash: build setup-run
	$(TESTENV) TARE_CRASH_KILLS=$(KILLS) go test -run '^(TestKilled|TestServerAndLoadKilled)' -parallel 1 -count=1 -v -timeout 8h ./cmd/tare

# Pods under runc and crun, kills, and a clock that is set, in an emulated machine with
# cgroup v2 (scripts/guest.sh): half an hour, because QEMU translates every instruction.
GUEST := $(CACHE)/guest
guest: build setup-run
	@sh scripts/need.sh qemu-system-x86_64:qemu-system-x86 busybox:busybox-static crun:crun nft:nftables iptables:iptables mkfs.ext4:e2fsprogs
	@sh scripts/need.sh /usr/lib/cni/bridge,/opt/cni/bin/bridge,/usr/libexec/cni/bridge:containernetworking-plugins
	go vet -tags guest ./cmd/tare
	mkdir -p $(GUEST)
	go test -c -tags guest -o $(GUEST)/tare.test ./cmd/tare
	TMPDIR=/dev/shm TARE_TEST_ROOTFS=$(ROOTFS) TARE_TEST_PROGRAM=$(CURDIR)/bin/tare \
	  sh scripts/guest.sh $(GUEST) $(GUEST)/tare.test -test.v -test.timeout 4h -test.run '^Test(ClockOfTheMachine|UnifiedPods)$$'

# The lab in such a machine: what its kubelet and runc write into the cgroups of pods, and a run in
# pods. Half an hour.
lab-guest: lab-build setup-run
	@sh scripts/need.sh qemu-system-x86_64:qemu-system-x86 busybox:busybox-static
	mkdir -p $(GUEST)
	cd lab && go test -c -tags lab -o $(GUEST)/lab.test .
	go test -c -o $(GUEST)/node.test ./internal/node
	GUEST_MEMORY=12288 sh scripts/guest.sh $(GUEST) sh scripts/lab-guest.sh $(LAB)/bin $(ROOTFS) $(GUEST)/lab.test $(GUEST)/node.test

# Trials of HOURS simulated hours, one after the other: about a minute an hour. Goroutines,
# descriptors, heap and allocations at the end are compared with those at the beginning.
HOURS ?= 12
soak:
	TARE_SOAK_HOURS=$(HOURS) go test -run '^TestSoak$$' -count=1 -v -timeout 2h ./internal/campaign

# tare lint over the manifests below DIR, which may have anything: counts, and a check of every file that --fix would
# change (scripts/corpus). VERBOSE=-v prints every finding. Exit code 1: a file fails.
corpus:
	@test -n "$(DIR)" || { echo "make corpus DIR=... names a directory of manifests"; exit 2; }
	go run ./scripts/corpus $(VERBOSE) $(DIR)

# Conditions of a package that its tests do not check (scripts/mutants). Exit code 1: there are some.
PACKAGE = ./internal/diagnose
mutants:
	go run ./scripts/mutants $(CACHE)/mutants $(PACKAGE) $(TESTFLAGS)

# Known vulnerabilities of what tare is built from and calls.
GOVULNCHECK := v1.1.4
# Where vuln.go.dev cannot be reached: a copy in its format (https://go.dev/security/vuln/database), file:///path.
VULNDB ?= https://vuln.go.dev
vulnerabilities:
	go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK) -db $(VULNDB) ./...

# Every fuzz target for a bounded number of inputs. What fuzzing has found before is
# in testdata and runs with the unit tests.
fuzz:
	@sh scripts/fuzz.sh $(CACHE)/fuzz $(FUZZTIME) '$(SLOWFUZZ)' $(FUZZSLOW)

# With go vet and staticcheck among its linters.
lint: $(TOOLS)/golangci-lint-$(GOLANGCI)
	$(TOOLS)/golangci-lint-$(GOLANGCI) run --allow-parallel-runners ./...

# The pages' scripts: checked, the same as those that are embedded, and tested in Chromium. Built
# elsewhere: what is embedded may be read at this moment, to compile another test.
BUNDLE := $(CACHE)/page
page: web/node_modules/.package-lock.json
	cd web && npm run check && npx vite build --outDir $(BUNDLE) && npx vite build --mode serve --outDir $(BUNDLE)
	cmp $(BUNDLE)/page.js internal/report/page/page.js
	cmp $(BUNDLE)/serve.js internal/serve/page/serve.js
	cd web && npm run e2e

web: web/node_modules/.package-lock.json
	cd web && npm run build

# The documentation as static files in site/dist, with the gallery of reports. A dead
# link fails it, and so does a page that would fetch something from elsewhere.
site: build site/node_modules/.package-lock.json
	@sh scripts/need.sh zstd:zstd
	sh scripts/site.sh bin/tare site
	cd site && npm run build
	@! grep -rEl --include='*.html' '<(script|link|img)[^>]*(src|href)="https?://' site/dist/*.html

# Not npm ci: npm leaves other platforms' optional packages out of the lock file
# (https://github.com/npm/cli/issues/4828), and then ci takes it for incomplete.
site/node_modules/.package-lock.json: site/package-lock.json
	@sh scripts/need.sh node:nodejs npm:npm
	cd site && npm install --no-audit --no-fund --no-save
	touch $@

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@

$(TOOLS)/golangci-lint-$(GOLANGCI):
	GOBIN=$(TOOLS)/tmp go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)
	mv $(TOOLS)/tmp/golangci-lint $@

# --- a real Kubernetes on this machine (lab/) ---------------------------------

# make lab-up CNI=ptp PROXY=iptables; what runs and how to reach it: make lab-status.
CNI   ?= bridge
PROXY ?= nftables
KUBERNETES := v1.34.4
FLANNEL    := v0.28.4
COMPONENTS := kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl

.PHONY: lab-up lab-down lab-status lab-build lab-test lab-test-up lab-crash cluster-crash lab-operator lab-places lab-logs cluster-test lab-left-out

lab-up: lab-build $(ROOTFS)/.complete
	$(LAB)/bin/lab up -cni $(CNI) -proxy $(PROXY) -mysql $(ROOTFS)
	$(LAB)/bin/lab load localhost/tare:1 $(LAB)/bin/tare /tare
	$(LAB)/bin/kubectl --kubeconfig $(LAB)/run/pki/admin.kubeconfig apply -f docs/kubernetes-rbac.yaml -f docs/kubernetes-rbac-manifests.yaml -f docs/kubernetes-rbac-kubelet.yaml -f docs/kubernetes-rbac-probe.yaml \
	  -f lab/operator/config/crd/bases -f lab/operator/rbac.yaml

lab-down lab-status: lab-%: $(LAB)/bin/lab
	$(LAB)/bin/lab $*

# A pod, an operator's database and an external server with TLS in one experiment, filled with SIZE
# GiB each and loaded from the same pods; in a lab that is up.
lab-places: $(LAB)/bin/operator $(ROOTFS)/.complete
	@sh scripts/need.sh openssl:openssl
	sh scripts/lab-places.sh $(LAB) $(ROOTFS) runs/places $(SIZE)

# What the logs of load pods cost the API server and the nodes' agents; in a lab that is up.
lab-logs:
	sh scripts/lab-logs.sh $(LAB) runs/logs

# Not $(MAKE), with which make --dry-run runs the whole line, and so takes down a lab that is up.
AGAIN := $(MAKE)

# The tests that need a cluster (build tag lab).
lab-test: lab-up
	@$(AGAIN) lab-test-up; code=$$?; $(LAB)/bin/lab down; exit $$code

# In a lab that is up, and stays.
lab-test-up:
	$(MAKE) image ARCHS=$$(go env GOARCH) IMAGE=$(LAB)/tare-image.tar
	cd lab && go vet . ./pause ./operator && go vet -tags lab . && go test ./operator && TARE_TEST_LAB=$(LAB)/bin/lab TARE_TEST_ARCHIVE=$(LAB)/tare-image.tar go test -tags lab -count=1 -timeout 40m .
	$(LABENV) $(MAKE) cluster-test

LABENV := TARE_TEST_CNI=$(CNI) TARE_TEST_KUBECONFIG=$(LAB)/run/pki/tare.kubeconfig TARE_TEST_LAB=$(LAB)/bin/lab TARE_TEST_ADMIN=$(LAB)/run/pki/admin.kubeconfig TARE_TEST_OPERATOR=$(LAB)/bin/operator TARE_TEST_PROGRAM=$(LAB)/bin/tare

# tare and the cluster's agents killed at the steps of a trial, and a password searched for in all
# of the cluster: 20 minutes. TARE_CRASH_KILLS=1 has every step.
lab-crash: lab-up
	@$(LABENV) $(AGAIN) cluster-crash; code=$$?; $(LAB)/bin/lab down; exit $$code

# The same in a cluster that somebody else provides: TARE_TEST_KUBECONFIG has the permissions
# of docs/kubernetes-rbac*.yaml, TARE_TEST_ADMIN those of an administrator, TARE_TEST_NODES
# two of the nodes. docs/lab.md says what else they need; scripts/kind.sh makes one.
cluster-test:
	go vet -tags lab ./internal/target/kubernetes
	CGO_ENABLED=1 go test -tags lab -race -timeout 60m ./internal/target/kubernetes

# And those of kills, in the same cluster (lab-crash).
CRASH := KilledInClusterIsFinished|AgentsKilledAtEveryStep|PasswordStaysInSecrets
cluster-crash:
	go vet -tags lab ./cmd/tare
	go test -tags lab -run '^Test($(CRASH))$$' -count=1 -v -timeout 2h ./cmd/tare

# An operator from a checkout that you fetched, in a lab that is up (scripts/lab-operator.sh):
# make lab-operator DIR=~/src/mariadb-operator MAIN=./cmd/controller. DIR=lab/operator is the
# stand-in of the lab's tests.
lab-operator: $(LAB)/bin/lab
	@test -n "$(DIR)" || { echo "make lab-operator DIR=... names the checkout of an operator"; exit 2; }
	sh scripts/lab-operator.sh $(LAB) $(DIR) $(MAIN) $(ARGUMENTS)

lab-left-out:
	@echo "The tests that need a cluster were left out: Kubernetes is not built here yet, which takes two processors ten minutes and more. make lab-test builds and runs them."

lab-build: $(LAB)/bin/kube $(LAB)/bin/coredns $(LAB)/bin/pause $(LAB)/bin/operator $(LAB)/bin/lab $(if $(filter flannel-%,$(CNI)),$(LAB)/bin/flanneld-$(FLANNEL))
	@sh scripts/need.sh containerd:containerd ctr:containerd runc:runc etcd:etcd-server ip:iproute2 nft:nftables iptables:iptables conntrack:conntrack ipset:ipset iperf3:iperf3 haproxy:haproxy
	@sh scripts/need.sh /usr/lib/cni/bridge,/opt/cni/bin/bridge,/usr/libexec/cni/bridge:containernetworking-plugins
	go build -o $(LAB)/bin/tare ./cmd/tare

# All of Kubernetes is one program; its components are links to it. The first
# build compiles 1,700 packages, so it is done for a new version only.
$(LAB)/bin/kube: lab/go.mod lab/go.sum lab/kube/main.go
	cd lab && go build -o $@ -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$(KUBERNETES) \
		-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$(word 2,$(subst ., ,$(KUBERNETES)))" ./kube
	for c in $(COMPONENTS); do ln -sf kube $(LAB)/bin/$$c; done

$(LAB)/bin/coredns: lab/go.mod lab/go.sum lab/coredns/main.go
	cd lab && go build -ldflags "-s -w" -o $@ ./coredns

$(LAB)/bin/operator: lab/go.mod lab/go.sum $(wildcard lab/operator/*.go)
	cd lab && go build -ldflags "-s -w" -o $@ ./operator

$(LAB)/bin/pause: lab/pause/main.go
	cd lab && go build -ldflags "-s -w" -o $@ ./pause

# Flannel's agent from its module, without the backend for one cloud, whose client
# library cannot be had as a module. The udp backend is C.
$(LAB)/bin/flanneld-$(FLANNEL):
	@sh scripts/need.sh cc:gcc
	rm -rf $(LAB)/flannel && mkdir -p $(LAB)/bin
	cp -r "$$(go mod download -json github.com/flannel-io/flannel@$(FLANNEL) | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')" $(LAB)/flannel
	chmod -R u+w $(LAB)/flannel
	sed -i '/backend\/tencentvpc"/d' $(LAB)/flannel/main.go
	cd $(LAB)/flannel && CGO_ENABLED=1 go build -mod=mod -ldflags "-s -w -X github.com/flannel-io/flannel/pkg/version.Version=$(FLANNEL)" -o $@ .
	ln -sf flanneld-$(FLANNEL) $(LAB)/bin/flanneld
	rm -rf $(LAB)/flannel

$(LAB)/bin/lab: $(wildcard lab/*.go lab/manifests/*.yaml)
	cd lab && go build -o $@ .

# --- what the machine needs --------------------------------------------------

setup-run: $(ROOTFS)/.complete
	@sh scripts/need.sh sysbench:sysbench runc,crun:runc

setup-test: setup-run $(MARIADB)/.complete $(CACHE)/python/.complete $(CACHE)/prometheus/.complete
	@sh scripts/need.sh /usr/lib/cni/bridge,/opt/cni/bin/bridge,/usr/libexec/cni/bridge:containernetworking-plugins iptables-restore:iptables nft:nftables iperf3:iperf3 tcpdump:tcpdump haproxy:haproxy
	@sh scripts/need.sh mariadbd:mariadb-server-core my_print_defaults:mariadb-client-core /usr/lib/galera/libgalera_smm.so:galera-4 mkfs.ext4:e2fsprogs chromium-headless-shell,chromium:chromium-headless-shell fc-list:fontconfig font=zh:fonts-noto-cjk node:nodejs npm:npm tmux:tmux

# A root file system with a real MySQL, from Debian's unstable suite: the same
# files serve every arm. About 20 seconds, once.
$(ROOTFS)/.complete: scripts/rootfs.sh
	@sh scripts/need.sh mmdebstrap:mmdebstrap
	sh scripts/rootfs.sh $(ROOTFS) mysql-server-core,mysql-client-core

# And one with a newer MariaDB than Debian stable's, which tests run beside that.
$(MARIADB)/.complete: scripts/rootfs.sh
	@sh scripts/need.sh mmdebstrap:mmdebstrap
	sh scripts/rootfs.sh $(MARIADB) mariadb-server-core,mariadb-client-core

# DuckDB and pandas, which must be able to read what tare exports.
$(CACHE)/python/.complete: scripts/python.txt
	@sh scripts/need.sh python3:python3-venv
	python3 -m venv $(CACHE)/python
	$(CACHE)/python/bin/pip install -q --disable-pip-version-check --no-compile -r scripts/python.txt
	touch $@

# Prometheus is unpacked, not installed: the package would start a server.
$(CACHE)/prometheus/.complete: scripts/unpack.sh
	sh scripts/unpack.sh prometheus $(CACHE)/prometheus

clean: build
	bin/tare clean --data
	rm -rf $(CACHE) bin
