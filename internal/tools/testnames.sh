#!/bin/sh
# Refuses tests whose names cannot be selected by what they test: TestConsent_sentence,
# and TestAccConsent_sentence for tests that run a CLI.
#
# usage: internal/tools/testnames.sh
set -u
found=$(grep -rnE --include='*_test.go' '^func Test[A-Za-z0-9]*\(' internal ./*.go |
	grep -vE 'func TestMain\(')
[ -z "$found" ] || {
	printf '%s\n' "$found" "a test is named TestWhat_sentence, or TestAccWhat_sentence where it runs a CLI" >&2
	exit 1
}
