#!/bin/sh
# Refuses tests whose names cannot be selected by what they test: TestConsent_sentence,
# TestAccConsentResource_sentence for acceptance tests in the form of terraform-plugin-testing,
# and TestCLIConsent_sentence for other tests that run a CLI.
#
# usage: internal/tools/testnames.sh
set -u
found=$(grep -rnE --include='*_test.go' '^func Test[A-Za-z0-9]*\(' internal ./*.go |
	grep -vE 'func TestMain\(')
[ -z "$found" ] || {
	printf '%s\n' "$found" "a test is named TestWhat_sentence; TestAccWhat_sentence and TestCLIWhat_sentence are for tests that run a CLI" >&2
	exit 1
}
