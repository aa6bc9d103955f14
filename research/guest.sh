#!/bin/sh
# Run a command in an emulated machine whose kernel has cgroup v2 alone: guest.sh DIRECTORY COMMAND...
# It is this machine with another kernel, Debian's: the same files, read-only, with a layer
# in memory above them. A test can set its clock. The exit code is the command's. QEMU
# translates every instruction where the processor does not help (GUEST_ACCEL=kvm).
set -eu

dir=$1; shift
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

if ! [ -e "$dir/complete" ]; then
	rm -rf "$dir/kernel" "$dir/root"
	mkdir -p "$dir/kernel" "$dir/root/bin"
	package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: //p' | head -n 1)
	(cd "$dir/kernel" && apt-get download -q "$package" 2>/dev/null && dpkg -x "./$package"*.deb . && rm ./*.deb)
	version=$(ls "$dir/kernel/lib/modules")
	busybox depmod -b "$dir/kernel" "$version"
	cp "$(command -v busybox)" "$dir/root/bin/busybox"
	ln -s busybox "$dir/root/bin/modprobe"
	# Those that the files of this machine come by; the others are there then.
	for module in virtio_pci 9pnet_virtio 9p overlay; do
		grep "/$module.ko:" "$dir/kernel/lib/modules/$version/modules.dep" | tr -d : | tr ' ' '\n'
	done | sort -u | while read -r file; do
		mkdir -p "$dir/root/lib/modules/$version/$(dirname "$file")"
		cp "$dir/kernel/lib/modules/$version/$file" "$dir/root/lib/modules/$version/$file"
	done
	busybox depmod -b "$dir/root" "$version"
	touch "$dir/complete"
fi

# The command and its environment, as a script that the guest finds among the files.
rm -rf "$dir/out"
mkdir -p "$dir/out" "$dir/root/host" "$dir/root/new" "$dir/root/proc" "$dir/root/sys" "$dir/root/dev"
{
	env | sed -n "s/^\(PATH\|HOME\|TMPDIR\|TARE_[A-Z_]*\)=\(.*\)/export \1='\2'/p"
	echo "cd '$PWD'"
	printf "exec"
	printf " '%s'" "$@"
	echo
} >"$dir/out/command"
cat >"$dir/root/init" <<EOF
#!/bin/busybox sh
export PATH=/bin
busybox mount -t proc proc /proc; busybox mount -t sysfs sys /sys; busybox mount -t devtmpfs dev /dev
for m in virtio_pci 9pnet_virtio 9p overlay; do busybox modprobe \$m; done
busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose host /host
busybox mount -t tmpfs -o size=90% above /mnt 2>/dev/null || { busybox mkdir -p /mnt; busybox mount -t tmpfs -o size=90% above /mnt; }
busybox mkdir /mnt/upper /mnt/work
busybox mount -t overlay -o lowerdir=/host,upperdir=/mnt/upper,workdir=/mnt/work root /new
for d in proc sys dev; do busybox mount --move /\$d /new/\$d; done
busybox mount -t cgroup2 -o nsdelegate cgroup /new/sys/fs/cgroup
busybox mkdir -p /new/dev/shm /new/dev/pts /new/out
busybox mount -t tmpfs shm /new/dev/shm; busybox mount -t devpts pts /new/dev/pts
busybox mount -t tmpfs run /new/run
busybox mount -t 9p -o rw,trans=virtio,version=9p2000.L out /new/out
version=\$(busybox uname -r)
busybox mkdir -p /new/lib/modules/\$version
busybox mount --bind "/host$dir/kernel/lib/modules/\$version" /new/lib/modules/\$version
busybox cp /bin/busybox /new/sbin/modprobe
echo /sbin/modprobe >/new/proc/sys/kernel/modprobe
# The kernel does not load these by itself: a device file or a sysctl appears with them.
for m in loop br_netfilter; do busybox chroot /new /sbin/modprobe \$m; done
echo 1 >/new/proc/sys/kernel/panic_on_oops
busybox ip link set lo up
echo "+cpuset +cpu +io +memory +pids +hugetlb" >/new/sys/fs/cgroup/cgroup.subtree_control
# Not chroot: who enters the mount namespace of a process (setns(2)) gets the root of the namespace.
exec busybox switch_root /new /bin/sh /out/main
EOF
cat >"$dir/out/main" <<EOF
/bin/sh /out/command </dev/null
echo \$? >/out/code
$(command -v busybox) sync
$(command -v busybox) poweroff -f
EOF
chmod 755 "$dir/root/init"
(cd "$dir/root" && busybox find . | busybox cpio -o -H newc 2>/dev/null) >"$dir/initrd"

qemu-system-x86_64 -accel "${GUEST_ACCEL:-tcg,thread=multi}" -cpu max -smp 2 -m "${GUEST_MEMORY:-4096}" \
	-display none -serial mon:stdio -nic none -no-reboot \
	-kernel "$dir"/kernel/boot/vmlinuz-* -initrd "$dir/initrd" -append "console=ttyS0 quiet panic=-1 rdinit=/init" \
	-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=host,mount_tag=host \
	-fsdev local,id=out,path="$dir/out",security_model=none -device virtio-9p-pci,fsdev=out,mount_tag=out </dev/null
exit "$(cat "$dir/out/code")"
