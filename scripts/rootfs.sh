#!/bin/sh
# Make a root file system with a server: rootfs.sh DIRECTORY PACKAGES, which are joined with commas.
# Made beside its place and renamed: a cut-off attempt leaves nothing that looks
# finished, and what was there before stays until the new one is complete.
set -eu

dir=$1 packages=$2
[ "$(id -u)" = 0 ] || { echo "rootfs.sh: making a root file system needs root" >&2; exit 1; }

# The machine's own mirror of Debian, where it has one; mmdebstrap knows the
# public one otherwise.
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null | sort -u | grep -v security | head -n 1 || :)

rm -rf "$dir.part" "$dir.old"
mkdir -p "$(dirname "$dir")"
mmdebstrap --quiet --variant=minbase --format=directory \
	--aptopt='Acquire::Check-Valid-Until "false"' \
	--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
	--include="$packages" \
	sid "$dir.part" ${mirror:+"$mirror"}
touch "$dir.part/.complete"
[ ! -e "$dir" ] || mv "$dir" "$dir.old"
mv "$dir.part" "$dir"
rm -rf "$dir.old"
