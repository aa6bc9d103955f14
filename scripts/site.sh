#!/bin/sh
# Gather what the documentation site is built from: site.sh TARE SITE. Pages are those
# of docs/; reports are made from their records by this version of tare.
set -eu
tare=$1 pages=$2/pages public=$2/public
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$pages" "$public"
mkdir -p "$public/reports"
cp -R docs "$pages"
mv "$pages"/*.json "$public"
logs=internal/loadgen/testdata/sysbench-2019
"$tare" import sysbench --out "$work/study-2019" \
	bare-metal=$logs/bare-metal.log besteffort=$logs/besteffort.log guaranteed=$logs/guaranteed.log >/dev/null
for run in "$work"/*; do
	"$tare" report "$run" --format html >"$public/reports/$(basename "$run").html"
done
