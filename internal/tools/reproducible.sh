#!/bin/sh
# Builds the last commit twice as a release does, in two clones at different paths
# and each with a build cache of its own, and fails where a byte differs.
#
# usage: internal/tools/reproducible.sh OS/ARCH ...
set -eu
root=$(pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

[ -z "$(git status --porcelain)" ] || echo "note: what is built is the last commit, without the changes since"

# build OS ARCH FOLDER prints the digest of the binary.
build() {
	(
		cd "$3"
		GOCACHE=$3.cache GOOS=$1 GOARCH=$2 "$root/.bin/goreleaser" build --snapshot --clean --single-target >"$3.log" 2>&1 || {
			cat "$3.log" >&2
			exit 1
		}
		cd dist
		find . -type f -name 'terraform-provider-analytics_v*' -exec sha256sum {} +
	)
}

for place in first a/second/and/longer/path; do
	mkdir -p "$(dirname "$work/$place")"
	git clone -q --no-local "$root" "$work/$place"
done
for platform in "$@"; do
	one=$(build "${platform%/*}" "${platform#*/}" "$work/first")
	two=$(build "${platform%/*}" "${platform#*/}" "$work/a/second/and/longer/path")
	if [ -z "$one" ] || [ "$one" != "$two" ]; then
		printf '%s differs from build to build:\n%s\n%s\n' "$platform" "$one" "$two" >&2
		exit 1
	fi
	printf '%s is the same twice: %s\n' "$platform" "$one"
done
