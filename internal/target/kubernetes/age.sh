# Prints, at a word on standard input, for how many seconds the machine runs, and the kernel's figures of the process of the
# pid file $1 (proc_pid_stat(5)).
set -eu
pid=$(cat "$1")
echo ready
read -r go
read -r up idle </proc/uptime
read -r stat <"/proc/$pid/stat"
echo "$up $stat"
