#!/bin/sh
# Runs go vet for every platform that .goreleaser.yml builds, so that a file with a build
# constraint cannot break a release alone.
set -eu

for platform in darwin/amd64 darwin/arm64 freebsd/386 freebsd/amd64 freebsd/arm freebsd/arm64 \
	linux/386 linux/amd64 linux/arm linux/arm64 windows/386 windows/amd64 windows/arm64; do
	echo "$platform"
	CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} go vet ./...
done
