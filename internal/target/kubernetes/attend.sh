# Waits in the server's container for a word on standard input, then sends the signal $1 to the process of the pid
# file $2, or none where $1 is "", and stays. The container ends with the server, and this with the container. At the end of
# the input it ends without a signal.
set -eu
pid=$(cat "$2")
echo ready
read -r go
if [ -n "$1" ]; then kill -s "$1" "$pid"; fi
echo "$go"
read -r end || :
