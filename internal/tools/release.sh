#!/bin/sh
# Runs the release tool. "snapshot" builds everything into dist/ and publishes
# nothing; what the machine has no tool or key for is left out, and said so.
# "publish" leaves nothing out.
#
# usage: internal/tools/release.sh snapshot|publish
set -eu
releaser=.bin/goreleaser

case $1 in
publish)
	missing=
	command -v gpg >/dev/null 2>&1 || missing="$missing gpg"
	command -v syft >/dev/null 2>&1 || missing="$missing syft"
	[ -n "${GPG_FINGERPRINT:-}" ] || missing="$missing GPG_FINGERPRINT"
	[ -n "${GITHUB_TOKEN:-}" ] || missing="$missing GITHUB_TOKEN"
	notes=.changes/$(git describe --tags --exact-match 2>/dev/null || echo untagged).md
	[ -f "$notes" ] || missing="$missing $notes"
	if [ -n "$missing" ]; then
		echo "a release needs these too:$missing" >&2
		exit 1
	fi
	exec "$releaser" release --clean --release-notes "$notes"
	;;
snapshot) ;;
*)
	echo "usage: $0 snapshot|publish" >&2
	exit 1
	;;
esac

skipped=publish
if ! command -v gpg >/dev/null 2>&1; then
	echo "note: gpg is not on PATH, so the checksums are not signed"
	skipped=$skipped,sign
elif [ -z "${GPG_FINGERPRINT:-}" ]; then
	echo "note: GPG_FINGERPRINT names no key, so the checksums are not signed"
	skipped=$skipped,sign
fi
if ! command -v syft >/dev/null 2>&1; then
	echo "note: syft is not on PATH, so no SBOM is written"
	skipped=$skipped,sbom
fi
"$releaser" check
"$releaser" release --snapshot --clean --skip="$skipped"
echo "dist/ has what a release would consist of:"
find dist -maxdepth 1 -type f -name 'terraform-provider-analytics_*' | sort
