# Stores the program that comes on standard input: $2 bytes in the form $3 (gzip or plain), which
# are a program of $4 bytes with the SHA-256 $5. It appears as $1/tare when it is whole. An earlier
# attempt whose connection broke may still run: each has a file of its own.
dir=$1 bytes=$2 form=$3 size=$4 sha256=$5
part=$dir/tare.part.$$
trap '' PIPE # where nobody reads what is said here, the part is removed all the same
trap 'rm -f "$part"' EXIT
if [ "$form" = gzip ]; then
	head -c "$bytes" | gzip -dc >"$part"
else
	head -c "$bytes" >"$part"
fi
got=$(wc -c <"$part") || exit 1
if [ "$((got))" -ne "$size" ]; then
	echo "$((got)) of $size bytes came" >&2
	exit 1
fi
chmod 0555 "$part" || exit 1
# The program computes its own hash: the image may have no tool for it.
got=$("$part" digest)
if [ "$got" != "$sha256" ]; then
	echo "the SHA-256 of the program is ${got:-unknown} in the pod and $sha256 here" >&2
	exit 1
fi
mv "$part" "$dir/tare" && echo stored
