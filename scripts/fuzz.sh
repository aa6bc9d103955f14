#!/bin/sh
# Runs every fuzz target of this module: fuzz.sh DIR INPUTS SLOW INPUTS_OF_SLOW, where SLOW are
# the patterns (package:target, separated by |) of the targets that take longer for each input.
#
# Not go test -fuzz: it instruments all that a package is linked with, so that Kubernetes'
# client is compiled once more, and links the package anew for each of its targets. Here a
# package is built once, and what is instrumented for coverage is this module.
set -eu
mkdir -p "$1"
dir=$(cd "$1" && pwd) inputs=$2 slow=$3 inputs_of_slow=$4
module=$(go list -m)
corpus=$(go env GOCACHE)/fuzz

go list -f '{{.ImportPath}} {{.Dir}}{{range .TestGoFiles}} {{.}}{{end}}{{range .XTestGoFiles}} {{.}}{{end}}' ./... >"$dir/packages"
while read -r package place files; do
	[ -n "$files" ] || continue
	targets=$(cd "$place" && sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $files)
	[ -n "$targets" ] || continue
	test=$dir/$(echo "${package#"$module"/}" | tr / -).test
	go test -c -ldflags=-w -gcflags="$module/...=-d=libfuzzer" -o "$test" "$package"
	for target in $targets; do
		echo "fuzz $package $target"
		n=$inputs
		eval "case \$package:\$target in $slow) n=\$inputs_of_slow ;; esac"
		(cd "$place" && "$test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$n" \
			-test.fuzzminimizetime 10x -test.fuzzcachedir "$corpus/$package" -test.paniconexit0 </dev/null)
	done
done <"$dir/packages"
