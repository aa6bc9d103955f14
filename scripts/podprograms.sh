#!/bin/sh
# Build the program of tare's pods (cmd/tare-pod) for linux on each ARCH into DIR, compressed, and write
# DIR/overlay.json, with which `go build -overlay` embeds them in tare: podprograms.sh DIR VERSION ARCH...
set -eu
mkdir -p "$1"
dir=$(cd "$1" && pwd) version=$2
shift 2
source=$(cd "$(dirname "$0")/.." && pwd)
cd "$source"

# Whole files only: another make may read them at this moment.
replace=
for arch in "$@"; do
	new=$(mktemp "$dir/new.XXXXXX")
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$version" -o "$new" ./cmd/tare-pod
	gzip -9nc "$new" >"$new.gz"
	mv "$new.gz" "$dir/tare-pod-$arch.gz"
	rm "$new"
	replace="$replace${replace:+,}
    \"$source/internal/podprogram/programs/tare-pod-$arch.gz\": \"$dir/tare-pod-$arch.gz\""
done
new=$(mktemp "$dir/new.XXXXXX")
printf '{\n  "Replace": {%s\n  }\n}\n' "$replace" >"$new"
mv "$new" "$dir/overlay.json"
