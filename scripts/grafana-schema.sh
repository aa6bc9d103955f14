#!/bin/sh
# Rewrite the JSON Schema that docs/grafana-dashboard.json is compared with, from
# the types that Grafana publishes: grafana-schema.sh FILE.
set -eu
out=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @grafana/schema@13.2.3 ts-json-schema-generator@2.9.0
npx ts-json-schema-generator --no-type-check --type Dashboard \
	--path node_modules/@grafana/schema/dist/types/raw/dashboard/x/types.gen.d.ts >"$out"
