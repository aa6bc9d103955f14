# In a privileged pod that shares its node's namespaces: puts the image's files on
# the node's disk, and has node.sh run the server from there as a process of the
# node. The node's own programs are used for that, through the root of its first
# process: an image need not have them. $1 is for start.sh, $2 the directory.
set -eu
umask 022
root=$2/root
if [ ! -e "$2/complete" ]; then
  rm -rf "$root"
  mkdir -p "$root"
  cp -ax / "$root" # this file system alone: no volume, and not what lies below $2
  : >"$2/complete"
fi
for program in nsenter unshare chroot mount; do
  chroot /proc/1/root sh -c "command -v $program" >/dev/null || { echo "tare: the node has no $program, which bare: true needs" >&2; exit 1; }
done

hold=$(mktemp -u)
mkfifo "$hold"
exec 9<>"$hold"
trap 'exec 9>&-' TERM # which node.sh reads as the end
chroot /proc/1/root nsenter -t 1 -m -u -i -n -C -- unshare -m --propagation private -- sh -c "$(cat /etc/tare/node.sh)" node $$ "$2" "$1" <"$hold" 9>&- &
node=$!
while :; do
  status=0
  wait "$node" || status=$?
  kill -0 "$node" 2>/dev/null || exit "$status"
done
