# What a release is made of: archives, packages, image, manual pages, completions.

.PHONY: portable portable-test release release-test man completions image reproducible vulnerabilities

NFPM := v2.44.0
# All files of a release in dist: archives, packages, image, checksums; of SYSTEMS, archives. `make release-test` installs them.
DIST := dist
release: man completions $(TOOLS)/nfpm-$(NFPM)
	rm -rf $(DIST)
	$(MAKE) image IMAGE=$(DIST)/tare_$(VERSION)_image.tar
	for system in $(SYSTEMS); do \
	  GOOS=$${system%/*} GOARCH=$${system#*/} go build -overlay $(RELEASE)/podprograms/overlay.json -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o $(RELEASE)/programs/$$system/tare ./cmd/tare || exit 1; \
	done
	sh scripts/release.sh $(DIST) $(VERSION) $(TOOLS)/nfpm-$(NFPM) $(RELEASE) $(ARCHS:%=linux/%) $(SYSTEMS)
	$(if $(FROM),sh scripts/indexes.sh $(DIST) $(VERSION) $(FROM))

# Homebrew's formula and krew's manifest name where the files will be: make release FROM=https://example.com/v1.2.3.
FROM ?=

# Installed as docs/install.md says, in root file systems of their own, for this machine's architecture.
release-test: setup-run
	$(MAKE) release ARCHS=$$(go env GOARCH) SYSTEMS="darwin/arm64 windows/amd64" FROM=https://example.com/tare DIST=$(RELEASE)/dist
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
	sh scripts/podprograms.sh $(RELEASE)/podprograms $(VERSION) $(ARCHS)
	for arch in $(ARCHS); do \
	  GOOS=linux GOARCH=$$arch go build -overlay $(RELEASE)/podprograms/overlay.json -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o $(RELEASE)/programs/linux/$$arch/tare ./cmd/tare || exit 1; \
	done
	mkdir -p $(dir $(IMAGE))
	bin/tare image $(foreach arch,$(ARCHS),--binary $(arch)=$(RELEASE)/programs/linux/$(arch)/tare) --out $(IMAGE)

# All files of a release, made in two clones, are the same bytes: ten minutes and more.
reproducible: $(TOOLS)/nfpm-$(NFPM)
	sh scripts/reproducible.sh $(TOOLS)/nfpm-$(NFPM)

# tare for the systems on which it reads, and measures clusters and external servers. Each takes three minutes of CPU
# time the first time.
SYSTEMS ?= darwin/arm64 darwin/amd64 windows/amd64
# With the tests of what reads there; those of the other packages are for Linux.
PORTABLE := ./internal/benchlog ./internal/campaign/... ./internal/capacity ./internal/compare/... ./internal/diagnose/... ./internal/environment ./internal/experiment/... ./internal/export/... ./internal/image ./internal/inpod \
	./internal/interleave ./internal/keys ./internal/lock ./internal/logtext ./internal/manifest/... ./internal/memory ./internal/operator ./internal/option ./internal/podprogram ./internal/progress ./internal/record/... \
	./internal/report/... ./internal/serve ./internal/stats ./internal/workload/...
portable:
	for system in $(SYSTEMS); do \
	  GOOS=$${system%/*} GOARCH=$${system#*/} go build -o /dev/null ./cmd/tare || exit 1; \
	  GOOS=$${system%/*} GOARCH=$${system#*/} go vet $(PORTABLE) || exit 1; \
	done

# Their tests, on such a system.
portable-test:
	go test $(PORTABLE)

# Known vulnerabilities of what tare is built from and calls.
GOVULNCHECK := v1.1.4
# Where vuln.go.dev cannot be reached: a copy in its format (https://go.dev/security/vuln/database), file:///path.
VULNDB ?= https://vuln.go.dev
vulnerabilities:
	go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK) -db $(VULNDB) ./...
