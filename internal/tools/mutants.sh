#!/bin/sh
# Changes the code of packages one operator at a time, runs the package's tests with each
# change, and lists the mutants that no test noticed. Reports stay in .bin/mutants: a text
# with what is printed, and a JSON file with every mutant.
#
# usage: internal/tools/mutants.sh WORKERS PACKAGE ...
set -eu
workers=$1
shift

# -trimpath lets the copies that gremlins works in share one build cache. With -count=1
# neither of the times below is that of a cached result.
export GOFLAGS="${GOFLAGS:-} -count=1 -trimpath -vet=off"
unset TF_ACC
[ "$(id -u)" != 0 ] || echo "note: wrong code runs as root now; a mutant of what writes files can reach any of them" >&2
reports=.bin/mutants
mkdir -p "$reports"

for package in "$@"; do
	name=$(printf %s "$package" | sed 's,^\./,,; s,/*$,,; s,/,-,g')
	printf 'mutants of %s\n' "$package"

	# The limit of a mutant is a multiple of the time of all tests, which would be too
	# short to build those of a small package: it is five times the tests and half a minute.
	go test -cover -run '^$' "${package%/}/..." >/dev/null
	began=$(date +%s)
	go test -cover "${package%/}/..." >/dev/null
	took=$(($(date +%s) - began + 1))

	.bin/gremlins unleash --invert-logical --invert-loopctrl --workers "$workers" \
		--timeout-coefficient $((5 + 30 / took)) --output-statuses lct \
		--output "$reports/$name.json" "$package" >"$reports/$name.txt" 2>&1 || {
		cat "$reports/$name.txt" >&2
		exit 1
	}
	cat "$reports/$name.txt"
done
