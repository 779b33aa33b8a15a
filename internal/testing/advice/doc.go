// SPDX-License-Identifier: MPL-2.0

// Package advice holds the tests that every advice works. An advice is the text after "What to
// do" in an error or a warning. The table in table_test.go names, for each text in the source
// of the provider, the test that does what it says and ends in an empty plan with nothing sent
// twice. A text without a row fails TestAdvice_eachIsFollowed.
package advice
