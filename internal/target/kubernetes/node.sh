# Runs a server as a process of the node, in none of the pod's namespaces, cgroups
# and limits. Started in the namespaces of the node's first process and a mount
# namespace of its own: $1 is the pod's shell, as the node numbers it, $2 the
# directory with the image's files, $3 what start.sh is told of the data. Standard
# input ends when the pod's shell does, however that comes about: nothing else
# would tell a process that is in no cgroup of the pod.
set -eu
root=$2/root

# Into the cgroups of the node's first process, in every hierarchy.
while IFS=: read -r _ controllers path; do
  at=/sys/fs/cgroup/${controllers#name=}
  [ -n "$controllers" ] || [ ! -d "$at/unified" ] || at=/sys/fs/cgroup/unified
  [ ! -d "$at" ] || echo $$ >"${at%/}$path/cgroup.procs"
done </proc/1/cgroup
# The container's, of a pod without requests, is 1000: the first to be killed.
echo 0 2>/dev/null >/proc/self/oom_score_adj || echo "tare: the OOM score stays $(cat /proc/self/oom_score_adj): the node lets nobody lower one" >&2

# A mount of its own, or the server's root has none, and nobody can say what its data lie on.
mount --bind "$root" "$root"
for dir in proc sys dev; do
  mkdir -p "$root/$dir"
  mount --rbind "/$dir" "$root/$dir"
done
mkdir -p "$root/etc/tare" "$root/mnt/tare/run" "$root/tmp"
chmod 1777 "$root/tmp"
chown 999:999 "$root/mnt/tare" "$root/mnt/tare/run"
# What is secret does not stay on the node's disk.
mount -t tmpfs -o mode=755,size=4m tmpfs "$root/etc/tare"
cp "/proc/$1/root/etc/tare/my.cnf" "/proc/$1/root/etc/tare/accounts.sql" "/proc/$1/root/etc/tare/start.sh" "$root/etc/tare"
chown 999:999 "$root"/etc/tare/*
chmod 400 "$root"/etc/tare/*

exec 8<&0 </dev/null
chroot --userspec=999:999 --groups= "$root" sh /etc/tare/start.sh "$3" 8<&- &
server=$!
{
  read -r _ <&8 || :
  kill "$server" 2>/dev/null || :
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45; do
    sleep 1
    kill -0 "$server" 2>/dev/null || exit 0
  done
  kill -9 "$server"
} &
guard=$!
exec 8<&-
status=0
wait "$server" || status=$?
kill "$guard" 2>/dev/null || :
exit "$status"
