# Starts the server in its pod. $1 says on which data: "empty" makes a new data
# directory; "again" begins with a copy of what the start before left the first
# time, so that every trial has the same bytes. Both are on the volume. "kept" is a
# volume that lives as long as the pod: a second start in it continues with the data of
# the first.
set -eu
umask 027
cd /mnt/tare
# What the pod sees of its network, for the record.
for link in /sys/class/net/*; do echo "tare: link ${link##*/} mtu $(cat "$link/mtu")"; done
while read -r route; do echo "tare: route $route"; done </proc/net/route
# Where images keep the server that their PATH need not name: Red Hat's, and builds from source.
PATH=$PATH:/usr/sbin:/usr/libexec:/usr/local/mysql/bin:/usr/local/mysql/scripts
server=$(command -v mariadbd || command -v mysqld) || { echo "tare: the image has no mysqld and no mariadbd on its PATH" >&2; exit 1; }

# As process 1 a shell is not ended by a signal it does not handle, and it handles
# none before its child has ended: a pod stopped here would take its grace period.
child=
trap '[ -z "$child" ] || kill "$child"; exit 143' TERM
do_it() {
  "$@" &
  child=$!
  wait "$child"
  child=
}

# MariaDB has a script of its own for new data. --cross-bootstrap leaves the name of the pod
# out of the accounts.
initialise() {
  case $("$server" --no-defaults --version) in
  *MariaDB*)
    script=$(command -v mariadb-install-db || command -v mysql_install_db) || { echo "tare: the image has no mariadb-install-db on its PATH" >&2; exit 1; }
    do_it "$script" --defaults-file=/etc/tare/my.cnf --auth-root-authentication-method=normal --skip-test-db --cross-bootstrap
    ;;
  *) do_it "$server" --defaults-file=/etc/tare/my.cnf --initialize-insecure ;;
  esac
}

fresh() {
  rm -rf data made tmp
  mkdir -p data tmp
  initialise
}

# After an event the server is started on the data that it left, which are those of the same start.
begun=
if [ -f /etc/tare/start ]; then begun=$(cat /etc/tare/start); fi
from=$1
if [ -n "$begun" ] && [ -f begun ] && [ "$(cat begun)" = "$begun" ]; then from=kept; fi
case $from in
empty) fresh ;;
kept) [ -d data ] || fresh ;;
again)
  if [ ! -d made ] && [ -d data ]; then mv data made; fi
  if [ -d made ]; then
    rm -rf data tmp
    mkdir -p tmp
    do_it cp -a --reflink=auto made data
  else
    fresh
  fi
  ;;
esac
if [ -n "$begun" ]; then echo "$begun" >begun; fi
echo "tare: the data are there"
exec "$server" --defaults-file=/etc/tare/my.cnf --init-file=/etc/tare/accounts.sql
