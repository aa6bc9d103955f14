#!/bin/sh
# Make the archives, packages and checksums of a release: release.sh DIST VERSION NFPM PARTS SYSTEM/ARCH...
# PARTS has what `make release` made before: man, completions, programs/SYSTEM/ARCH/tare. The same commit gives
# the same bytes: every time is the commit's, every owner root, every list sorted.
set -eu
export LC_ALL=C TZ=UTC
umask 022

dist=$1 version=$2 nfpm=$3 parts=$4
shift 4
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
DATE=$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
export SOURCE_DATE_EPOCH DATE VERSION="$version"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in "$@"; do
	system=${target%/*} ARCH=${target#*/}
	name=tare_${version}_${system}_$ARCH
	STAGE=$work/$name
	export ARCH STAGE
	suffix=
	[ "$system" != windows ] || suffix=.exe
	mkdir -p "$STAGE/man" "$STAGE/docs/results" "$STAGE/examples"
	install -m 755 "$parts/programs/$target/tare" "$STAGE/tare$suffix"
	cp -r "$parts/man" "$STAGE/man/man1"
	cp -r "$parts/completions" "$STAGE/completions"
	cp LICENSE README.md CHANGELOG.md "$STAGE"
	cp docs/*.md docs/*.yaml docs/*.json "$STAGE/docs"
	cp docs/results/*.md "$STAGE/docs/results"
	cp examples/*.yaml "$STAGE/examples"
	# Whatever the clone's umask was.
	chmod -R u=rwX,go=rX "$STAGE"
	# Not zip for Windows: its tar reads this since Windows 10, and krew does.
	tar -C "$work" --sort=name --format=gnu --mtime="$DATE" --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$dist/$name.tar.gz"
	[ "$system" = linux ] || continue
	for kind in deb rpm; do
		"$nfpm" package --config scripts/nfpm.yaml --packager $kind --target "$dist/$name.$kind"
	done
done
cd "$dist"
sha256sum tare_* >checksums.txt
