#!/bin/sh
# Runs the fuzz targets of packages one after the other, since Go runs one at a time.
# What it finds stays as a file under testdata/fuzz and fails every test from then on.
# The budget is a number of inputs: with a duration, Go's fuzzer now and then reports
# "context deadline exceeded" as a failure although it found nothing.
#
# usage: internal/tools/fuzz.sh COUNT PACKAGE ...
set -eu
count=$1
shift

go list -f '{{.ImportPath}} {{.Dir}}' "$@" | while read -r package dir; do
	for target in $(cat "$dir"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do
		printf 'fuzzing %s with %s inputs\n' "$target" "$count"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${count}x" "$package"
	done
done
