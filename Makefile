# What people run: make, make demo, make test, make lint, make bench, make lab-up, make release, make clean.
#
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

.PHONY: build demo test bench lint clean

build: bin/tare

# From the tag, where there is one (scripts/version.sh).
VERSION = $(shell sh scripts/version.sh)

# With the small program of its pods for this architecture; go build ./cmd/tare has none, and streams itself.
bin/tare: FORCE
	sh scripts/podprograms.sh $(CACHE)/podprograms $(VERSION) $$(go env GOARCH)
	go build -overlay $(CACHE)/podprograms/overlay.json -ldflags "-X main.version=$(VERSION)" -o $@ ./cmd/tare
FORCE:

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
# JSON object (docs/results/performance.md). CELLS=cpu/oltp_read_only@64 runs some of it.
CELLS ?= *
bench: setup-run
	go build -o $(CACHE)/bench ./internal/loadgen/bench
	$(CACHE)/bench -rootfs $(ROOTFS) -cells '$(CELLS)'

GOLANGCI := v2.15.0
# With go vet and staticcheck among its linters.
lint: $(TOOLS)/golangci-lint-$(GOLANGCI)
	$(TOOLS)/golangci-lint-$(GOLANGCI) run --allow-parallel-runners ./...

$(TOOLS)/golangci-lint-$(GOLANGCI):
	GOBIN=$(TOOLS)/tmp go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)
	mv $(TOOLS)/tmp/golangci-lint $@

clean: build
	bin/tare clean --data
	rm -rf $(CACHE) bin

include scripts/setup.mk    # what the machine needs
include scripts/test.mk     # the parts of make test
include scripts/pages.mk    # the pages of reports, and the site
include scripts/release.mk  # what a release is made of
include lab/lab.mk          # a real Kubernetes on this machine
include research/research.mk # measurements of tare itself: minutes to hours each
