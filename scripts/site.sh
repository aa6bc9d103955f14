#!/bin/sh
# Gather what the documentation site is built from: site.sh TARE SITE. Pages are those
# of docs/; reports are made from their records by this version of tare. With PICTURES=yes
# the pictures of docs/gallery are taken again; look at them then.
set -eu
tare=$1 pages=$2/pages public=$2/public
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$pages" "$public"
mkdir -p "$public/reports"
logs=internal/loadgen/testdata/sysbench-2019
"$tare" import sysbench --out "$work/study-2019" \
	bare-metal=$logs/bare-metal.log besteffort=$logs/besteffort.log guaranteed=$logs/guaranteed.log >/dev/null
for record in "$2"/records/*.tar.zst; do
	zstd -qdc "$record" | tar -xf - -C "$work"
done
for run in "$work"/*; do
	name=$(basename "$run")
	"$tare" report "$run" --format html >"$public/reports/$name.html"
	[ -z "${PICTURES:-}" ] || sh scripts/picture.sh "$public/reports/$name.html" "docs/gallery/$name.png"
done
cp -R docs "$pages"
mv "$pages"/*.json "$public"
# In a clone the gallery names the files that this target makes; on the site it links them.
sed -i 's#`site/dist/reports/\([a-z0-9-]*\)\.html`#[The report](reports/\1.html)#' "$pages/gallery.md"
