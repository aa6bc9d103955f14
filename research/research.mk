# Measurements of tare itself, and tests that take longer than make test may. Each target says how long it takes.

.PHONY: bench-probes bench-protocol slice-lengths freezing calibrate campaigns live-faults replay capture-truth captured-cost own-data studies second-study third-study networks controls crash guest lab-guest soak corpus mutants outages

# What the probes take from a load: pairs of spans with and without them, 6 s a pair.
PAIRS ?= 100
bench-probes: setup-run
	TARE_TEST_ROOTFS=$(ROOTFS) go test -run '^$$' -bench '^BenchmarkProbesCost$$' -benchtime $(PAIRS)x -timeout 2h ./cmd/tare

# The same arms by slices and by windows: whether they agree, and the machine time that
# each needs for ±1 %. An hour in which nothing else may run.
bench-protocol: build setup-run
	sh research/protocols.sh bin/tare $(ROOTFS) $(CACHE)/protocols

# A quota and a delay with slices of .1, .2, .5 and 1 s, which must agree: ten minutes. Read-write by
# slices with and without freezing, and by windows: seven minutes. Nothing else may run.
slice-lengths freezing: build setup-run
	sh research/slices.sh $(patsubst slice-%,%,$@) bin/tare $(ROOTFS) $(CACHE)/slices

# Ten outages whose parts are known, of a server behind a proxy and of a replicated database: six minutes.
outages: setup-test
	$(TESTENV) TARE_TEST_ROUNDS=5 $(GOTEST) -v -run '^(TestRoutingAndReconnect|TestDetection)$$' -timeout 30m ./internal/target/process

# The statistics' calibration tests at full size: what docs/results/calibration.md quotes.
calibrate:
	TARE_CALIBRATE=full go test -run '^TestC[0-3][0-9]' -v -count=1 -timeout 120m ./internal/stats ./internal/loadgen/latency ./internal/compare ./internal/capacity ./internal/campaign/campaigntest

# Twenty campaigns of two equal arms on this machine, with a real MySQL: an hour and
# three quarters in which nothing else may run. Fails above 4 false alarms.
CAMPAIGNS ?= 20
campaigns: build setup-run
	sh research/campaigns.sh bin/tare $(ROOTFS) $(CACHE)/campaigns $(CAMPAIGNS)

# Sixteen faults in servers that another process loads, and twenty spans without one: which
# `tare explain --live` names. About 20 minutes; CPU steal and other load of the machine count.
# FAULTS="memory loss" selects faults; results in CACHE/live-faults are not measured again.
SPAN ?= 20s
HEALTHY ?= 20
live-faults: build setup-run
	sh research/live-faults.sh bin/tare rootfs:$(ROOTFS) $(CACHE)/live-faults $(SPAN) $(HEALTHY) $(FAULTS)

# sysbench at RATE transactions/s, captured and replayed at the same rate on the same server,
# in alternating windows: rows, statements and latencies of both. Three minutes in which
# nothing else may run.
RATE ?= 300
replay: setup-run
	TARE_TEST_ROOTFS=$(ROOTFS) TARE_REPLAY_RATE=$(RATE) go test -run '^$$' -bench '^BenchmarkReplay$$' -benchtime 1x -timeout 30m ./internal/capture

# Programs of known kinds, rates and latencies, captured in four ways from MySQL and MariaDB: the table of
# docs/results/capture.md. Two minutes in which nothing else may run.
capture-truth: setup-test
	$(TESTENV) TARE_TRUTH_GAP=20ms go test -run '^TestFourWays$$' -count=1 -v -timeout 20m ./internal/capture

# What a quota of half a CPU costs: measured with oltp_read_write and with what was captured
# of it. Ten minutes in which nothing else may run. Fails where the intervals do not overlap.
COST_RUNS ?= 4
COST_ROUNDS ?= 2
captured-cost: build setup-run
	sh research/captured-cost.sh bin/tare rootfs:$(ROOTFS) $(CACHE)/captured-cost $(RATE) $(COST_RUNS) $(COST_ROUNDS)

# A data directory of SIZE GiB serves three arms and is not written to. Needs up to five times
# SIZE on the disk of OWN_DATA, and fewer copies are made where there is less.
SIZE ?= 2
OWN_DATA ?= $(CACHE)/own-data
own-data: setup-run
	mkdir -p $(OWN_DATA)
	TARE_TEST_ROOTFS=$(ROOTFS) TARE_OWN_DATA_SIZE=$(SIZE) TARE_OWN_DATA_DIR=$(OWN_DATA) go test -run '^TestOwnData$$' -count=1 -v -timeout 3h ./cmd/tare

# The experiments of docs/results/studies.md, one after another: three and a half hours. What is
# already there in runs/studies is gone on with.
studies: build setup-run
	@sh scripts/need.sh chromium-headless-shell,chromium:chromium-headless-shell
	TARE=bin/tare DATABASE=rootfs:$(ROOTFS) research/studies runs/studies

# examples/second-study-local.yaml: three members, network paths, two link speeds and a delay. An hour in
# which nothing else may run. After an interruption it continues.
second-study: build setup-run
	@sh scripts/need.sh chromium-headless-shell,chromium:chromium-headless-shell nft:nftables iptables:iptables /usr/lib/cni/bridge,/opt/cni/bin/bridge,/usr/libexec/cni/bridge:containernetworking-plugins
	STUDIES=second-study-local TARE=bin/tare DATABASE=rootfs:$(ROOTFS) research/studies runs/studies

# examples/third-study-local.yaml: its mix of 50:50 at three numbers of threads, then 80:20 and 20:80 at
# one. An hour and a half in which nothing else may run. After an interruption it continues.
third-study: build setup-run
	@sh scripts/need.sh chromium-headless-shell,chromium:chromium-headless-shell
	STUDIES="third-study-local third-study-local@80 third-study-local@20" TARE=bin/tare DATABASE=rootfs:$(ROOTFS) research/studies runs/studies

# examples/kubernetes-networks.yaml over the five network plugins of the lab: an hour and a
# quarter. What is already there in runs/networks is not done again. EXPERIMENT=lab/operator/replicated.yaml
# is a replicated database of three pods instead, in runs/networks-replicated.
EXPERIMENT ?=
networks: setup-run
	$(MAKE) lab-build CNI=flannel-vxlan
	EXPERIMENT=$(EXPERIMENT) sh research/networks $(LAB) $(ROOTFS) runs/networks$(if $(EXPERIMENT),-$(basename $(notdir $(EXPERIMENT))))

# tare against what is known beforehand, with a real MySQL and nothing else running:
# doses of known size (a quarter of an hour), a CPU quota and a layer that cannot matter
# (ten minutes), ten secrets (half an hour), and servers of known capacity (a quarter of an hour).
# Each fails when it is not met.
controls: build setup-run
	sh research/controls.sh dose bin/tare $(ROOTFS) $(CACHE)/controls
	sh research/controls.sh factors bin/tare $(ROOTFS) $(CACHE)/controls
	sh research/controls.sh blind bin/tare $(ROOTFS) $(CACHE)/controls
	sh research/controls.sh capacity bin/tare $(ROOTFS) $(CACHE)/controls 6 1s 4s

# tare killed at every step of a run, and at KILLS random moments; the server, the load
# generator and a member at every step of a trial: two hours. After
# each kill it looks for what is left behind, and at the end for what was lost.
KILLS ?= 200
crash: build setup-run
	$(TESTENV) TARE_CRASH_KILLS=$(KILLS) go test -run '^(TestKilled|TestServerAndLoadKilled)' -parallel 1 -count=1 -v -timeout 8h ./cmd/tare

# Pods under runc and crun, kills, and a clock that is set, in an emulated machine with
# cgroup v2 (research/guest.sh): half an hour, because QEMU translates every instruction.
GUEST := $(CACHE)/guest
guest: build setup-run
	@sh scripts/need.sh qemu-system-x86_64:qemu-system-x86 busybox:busybox-static crun:crun nft:nftables iptables:iptables mkfs.ext4:e2fsprogs
	@sh scripts/need.sh /usr/lib/cni/bridge,/opt/cni/bin/bridge,/usr/libexec/cni/bridge:containernetworking-plugins
	go vet -tags guest ./cmd/tare
	mkdir -p $(GUEST)
	go test -c -tags guest -o $(GUEST)/tare.test ./cmd/tare
	TMPDIR=/dev/shm TARE_TEST_ROOTFS=$(ROOTFS) TARE_TEST_PROGRAM=$(CURDIR)/bin/tare \
	  sh research/guest.sh $(GUEST) $(GUEST)/tare.test -test.v -test.timeout 4h -test.run '^Test(ClockOfTheMachine|UnifiedPods)$$'

# The lab in such a machine: what its kubelet and runc write into the cgroups of pods, and a run in
# pods. Half an hour.
lab-guest: lab-build setup-run
	@sh scripts/need.sh qemu-system-x86_64:qemu-system-x86 busybox:busybox-static
	mkdir -p $(GUEST)
	cd lab && go test -c -tags lab -o $(GUEST)/lab.test .
	go test -c -o $(GUEST)/node.test ./internal/node
	GUEST_MEMORY=12288 sh research/guest.sh $(GUEST) sh research/lab-guest.sh $(LAB)/bin $(ROOTFS) $(GUEST)/lab.test $(GUEST)/node.test

# Trials of HOURS simulated hours, one after the other: about a minute an hour. Goroutines,
# descriptors, heap and allocations at the end are compared with those at the beginning.
HOURS ?= 12
soak:
	TARE_SOAK_HOURS=$(HOURS) go test -run '^TestSoak$$' -count=1 -v -timeout 2h ./internal/campaign

# tare lint over the manifests below DIR, which may have anything: counts, and a check of every file that --fix would
# change (research/corpus). VERBOSE=-v prints every finding. Exit code 1: a file fails.
corpus:
	@test -n "$(DIR)" || { echo "make corpus DIR=... names a directory of manifests"; exit 2; }
	go run ./research/corpus $(VERBOSE) $(DIR)

# Conditions of a package that its tests do not check (research/mutants). Exit code 1: there are some.
PACKAGE = ./internal/diagnose
mutants:
	go run ./research/mutants $(CACHE)/mutants $(PACKAGE) $(TESTFLAGS)
