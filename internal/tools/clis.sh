#!/bin/sh
# Runs the tests that start a CLI with each Terraform and OpenTofu, and prints which of them
# passed, which were skipped and why. The output of each run is kept in .bin/clis.
#
# usage: internal/tools/clis.sh CLI ...
set -u
kept=$PWD/.bin/clis
rm -rf "$kept" && mkdir -p "$kept"
failed=0

echo "| version | passed | skipped | failed |"
echo "|:------- | ------:| -------:| ------:|"
for cli in "$@"; do
	path=$(command -v "$cli") || {
		echo "there is no program $cli" >&2
		exit 2
	}

	name=$("$path" version | sed -n '1s/^\([A-Za-z]*\) v/\1 /p')
	output=$kept/$(echo "$name" | tr ' ' -).txt
	TF_ACC_TERRAFORM_PATH=$path go test -vet=off -count=1 -v -parallel 8 -timeout 1h -run '^Test(Acc|CLI)' ./... >"$output" 2>&1 || failed=1
	count() { grep -cE "$1" "$output"; }
	printf '| %s | %d | %d | %d |\n' "$name" "$(count '^ *--- PASS')" "$(count '^ *--- SKIP')" "$(count '^ *--- FAIL|^FAIL.*\[')"
done

for output in "$kept"/*.txt; do
	printf '\n%s lacks:\n\n' "$(basename "$output" .txt | tr - ' ')"
	sed -n 's/^.*_test\.go:[0-9]*: \(.* needs* .*\), and this is .*/- \1/p; s/^.*_test\.go:[0-9]*: \(.* is not on PATH\)/- \1/p' "$output" | sort | uniq -c | sed 's/^ *\([0-9]*\) - \(.*\)/- \2 (\1 tests)/'
	grep -E '^ *--- FAIL|^FAIL.*\[' "$output" # a program that does not build, too
done
exit "$failed"
