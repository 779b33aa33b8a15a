#!/usr/bin/env bash
# narrow.sh package...  runs the tests of packages with GOARCH=386, if this machine runs such programs
set -euo pipefail

export GOARCH=386 CGO_ENABLED=0 TF_ACC=
tried=$(mktemp -d)
trap 'rm -rf "$tried"' EXIT
printf 'package main\n\nfunc main() {}\n' >"$tried/main.go"

if ! go build -o "$tried/program" "$tried/main.go" 2>/dev/null || ! "$tried/program" 2>/dev/null; then
	echo "the tests with GOARCH=386 are left out: this machine does not run such programs"
	exit 0
fi
"$(dirname "$0")/isolated.sh" go test -vet=off -shuffle=on "$@"
