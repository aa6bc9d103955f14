#!/bin/sh
# Make all files of a release twice, from two clones in different places with nothing of the first
# build left, and compare: reproducible.sh NFPM [ARCH...]. NFPM is the program, made before.
set -eu
nfpm=$1
shift
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
for clone in first second/further; do
	git clone -q --no-hardlinks . "$work/$clone"
	mkdir -p "$work/$clone/.cache/bin"
	cp "$nfpm" "$work/$clone/.cache/bin/"
	GOCACHE="$work/cache" make -C "$work/$clone" release ARCHS="${*:-amd64 arm64}"
	rm -rf "$work/cache"
done
diff -r "$work/first/dist" "$work/second/further/dist"
cat "$work/first/dist/checksums.txt"
