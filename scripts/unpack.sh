#!/bin/sh
# Unpack a Debian package without installing it: unpack.sh PACKAGE DIRECTORY.
# A package with a server would start it; the tests start their own.
set -eu
package=$1 directory=$2
if ! command -v apt-get >/dev/null; then
	echo "unpack $package into $directory by hand, then touch $directory/.complete" >&2
	exit 1
fi
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"
apt-get download -qq "$package" 2>/dev/null || { apt-get update -qq; apt-get download -qq "$package"; }
dpkg-deb -x ./*.deb .
rm ./*.deb
touch .complete
