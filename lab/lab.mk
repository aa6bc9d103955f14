# A real Kubernetes on this machine (docs/lab.md).

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
	$(LAB)/bin/kubectl --kubeconfig $(LAB)/run/pki/admin.kubeconfig apply -l 'tarebench.io/capability notin (network)' \
	  -f docs/kubernetes-rbac.yaml -f lab/operator/config/crd/bases -f lab/operator/rbac.yaml

lab-down lab-status: lab-%: $(LAB)/bin/lab
	$(LAB)/bin/lab $*

# A pod, an operator's database and an external server with TLS in one experiment, filled with SIZE
# GiB each and loaded from the same pods; in a lab that is up.
lab-places: $(LAB)/bin/operator $(ROOTFS)/.complete
	@sh scripts/need.sh openssl:openssl
	sh research/lab-places.sh $(LAB) $(ROOTFS) runs/places $(SIZE)

# What the logs of load pods cost the API server and the nodes' agents; in a lab that is up.
lab-logs:
	sh research/lab-logs.sh $(LAB) runs/logs

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

LABENV := TARE_TEST_CNI=$(CNI) TARE_TEST_KUBECONFIG=$(LAB)/run/pki/tare.kubeconfig TARE_TEST_LAB=$(LAB)/bin/lab TARE_TEST_ADMIN=$(LAB)/run/pki/admin.kubeconfig TARE_TEST_OPERATOR=$(LAB)/bin/operator TARE_TEST_PROGRAM=$(LAB)/bin/tare-pod

# tare and the cluster's agents killed at the steps of a trial, and a password searched for in all
# of the cluster: 20 minutes. TARE_CRASH_KILLS=1 has every step.
lab-crash: lab-up
	@$(LABENV) $(AGAIN) cluster-crash; code=$$?; $(LAB)/bin/lab down; exit $$code

# The same in a cluster that somebody else provides: TARE_TEST_KUBECONFIG has the permissions
# of docs/kubernetes-rbac.yaml, TARE_TEST_ADMIN those of an administrator, TARE_TEST_NODES
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
	sh scripts/podprograms.sh $(LAB)/podprograms $(VERSION) $$(go env GOARCH)
	gzip -dc $(LAB)/podprograms/tare-pod-$$(go env GOARCH).gz >$(LAB)/bin/tare-pod
	go build -overlay $(LAB)/podprograms/overlay.json -o $(LAB)/bin/tare ./cmd/tare

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
