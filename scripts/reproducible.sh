#!/bin/sh
# Build every release binary and the image twice, from two clones in different places
# with nothing of the first build left, and compare: reproducible.sh [ARCH...]
set -eu
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
version=$(sh scripts/version.sh)
export SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
for clone in first second/further; do
	git clone -q --no-hardlinks . "$work/$clone"
	binaries=
	for arch in ${@:-amd64 arm64}; do
		(cd "$work/$clone" && GOCACHE="$work/cache" GOARCH=$arch CGO_ENABLED=0 go build -trimpath -buildvcs=false \
			-ldflags "-s -w -X main.version=$version" -o "tare-$arch" ./cmd/tare)
		binaries="$binaries --binary $arch=$work/$clone/tare-$arch"
	done
	go run -trimpath ./cmd/tare image $binaries --out "$work/$clone/image.tar"
	rm -rf "$work/cache"
done
for file in "$work"/first/tare-* "$work"/first/image.tar; do
	cmp "$file" "$work/second/further/$(basename "$file")"
	sha256sum "$file" | sed "s#$work/first/##"
done
