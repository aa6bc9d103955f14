# What the machine needs: installed once, and taken where it is there already.

.PHONY: setup-run setup-test

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
