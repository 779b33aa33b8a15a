#!/bin/sh
# Runs the fuzz targets of packages one after the other, since Go runs one at a time.
# What it finds stays as a file under testdata/fuzz and fails every test from then on.
#
# usage: internal/tools/fuzz.sh TIME PACKAGE ...
set -eu
time=$1
shift

go list -f '{{.ImportPath}} {{.Dir}}' "$@" | while read -r package dir; do
	for target in $(cat "$dir"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do
		printf 'fuzzing %s for %s\n' "$target" "$time"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
