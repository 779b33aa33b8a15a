#!/bin/sh
# Names all tools that are missing at once, and what to do about each.
#
# usage: internal/tools/require.sh go|git|cc|cli|curl ...
set -u
missing=0

lack() {
	printf 'missing: %s\n' "$1" >&2
	missing=1
}

need_go() {
	wanted=$(sed -n 's/^go //p' go.mod)
	if ! command -v go >/dev/null 2>&1; then
		lack "Go $wanted or newer (https://go.dev/dl/)"
	elif ! reason=$(go list -m 2>&1); then
		lack "Go $wanted or newer: $reason"
	fi
}

need_git() {
	command -v git >/dev/null 2>&1 || lack "Git (https://git-scm.com/downloads)"
}

# The race detector is built with cgo, and cgo needs a C compiler.
need_cc() {
	if [ "${CGO_ENABLED:-1}" = 0 ]; then
		lack "cgo: CGO_ENABLED=0 is set and the race detector cannot run without it; unset it, or run the tests with RACE= (empty)"
		return
	fi
	compiler=$(go env CC 2>/dev/null || echo "${CC:-gcc}")
	# CC may carry flags after the compiler's name.
	command -v "${compiler%% *}" >/dev/null 2>&1 ||
		lack "a C compiler (gcc or clang), for Go's race detector; install one, or run the tests with RACE= (empty)"
}

# make names a program in any case, and builds one where none is installed.
need_cli() {
	[ -x "$(command -v "$TF_ACC_TERRAFORM_PATH")" ] || lack "Terraform or OpenTofu at TF_ACC_TERRAFORM_PATH: no program there"
}

for tool in "$@"; do
	case $tool in
	go) need_go ;;
	git) need_git ;;
	cc) need_cc ;;
	cli) need_cli ;;
	curl) command -v curl >/dev/null 2>&1 || lack "curl (https://curl.se)" ;;
	*) lack "a check for $tool in $0" ;;
	esac
done
exit "$missing"
