// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testName     = regexp.MustCompile("`(Test[A-Za-z0-9]+_[A-Za-z0-9]+)`")

	// An advice is the text of a field Do, of a constant whose name begins with advice, or of an
	// element of such a map.
	oneAdvice  = regexp.MustCompile(`(?m)^(?:[^",\n]*\bDo(?::| \+?=)|[a-z\t ]*[aA]dvice[A-Z]\w*\s+=)[^"\n]*"((?:[^"\\\n]|\\.)+)`)
	adviceMap  = regexp.MustCompile(`(?ms)^var [aA]dvice\w* = [^\n]*\{\n.*?\n\}`)
	mapElement = regexp.MustCompile(`(?m):\s+"((?:[^"\\\n]|\\.)+)`)
)

// readSource returns the advices in the code that speaks to the users of the provider, with their
// paths below internal, and the tests of all packages, as folder.Name.
func readSource(t *testing.T) (advices map[string]string, tests map[string]bool) {
	t.Helper()
	advices, tests = map[string]string{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}

		text, err := os.ReadFile(path)
		path = strings.TrimPrefix(filepath.ToSlash(path), "../../")
		if strings.HasSuffix(path, "_test.go") {
			for _, f := range testFunction.FindAllSubmatch(text, -1) {
				tests[filepath.ToSlash(filepath.Dir(path))+"."+string(f[1])] = true
			}
			return err
		}

		switch folder, _, _ := strings.Cut(path, "/"); folder {
		case "cmd", "doctor", "mockserver":
			return err
		}
		found := oneAdvice.FindAllSubmatch(text, -1)
		for _, all := range adviceMap.FindAll(text, -1) {
			found = append(found, mapElement.FindAllSubmatch(all, -1)...)
		}
		for _, f := range found {
			if advice := strings.ReplaceAll(string(f[1]), `\"`, `"`); strings.TrimSpace(advice) != "Then" {
				advices[advice] = path
			}
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return advices, tests
}

// TestGuide_eachGuaranteeNamesItsTests reads the table of guarantees in the guide.
func TestGuide_eachGuaranteeNamesItsTests(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/erasure-and-access.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(guide), "| guarantee | how | tested by |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if !found || table == "" {
		t.Fatal("the guide has no table of guarantees")
	}

	_, inPackages := readSource(t)
	tests := map[string]bool{}
	for test := range inPackages {
		_, name, _ := strings.Cut(test, ".")
		tests[name] = true
	}
	for line := range strings.Lines(table) {
		named := testName.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("no test is named for %s", line)
		}
		for _, name := range named {
			if !tests[name[1]] {
				t.Errorf("%s does not exist", name[1])
			}
		}
	}
}
