// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// readSource returns the advices in the code that speaks to the users of the provider, by the path
// below internal, and the tests of all packages, as folder.Name.
func readSource(t *testing.T) (advices map[string][]string, tests map[string]bool) {
	t.Helper()
	advices, tests = map[string][]string{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}

		text, err := os.ReadFile(path)
		path = strings.TrimPrefix(filepath.ToSlash(path), "../../")
		folder, _, _ := strings.Cut(path, "/")
		if strings.HasSuffix(path, "_test.go") {
			for _, f := range testFunction.FindAllSubmatch(text, -1) {
				tests[filepath.ToSlash(filepath.Dir(path))+"."+string(f[1])] = true
			}
		} else if err == nil && folder != "cmd" && folder != "doctor" && folder != "mockserver" {
			var file *ast.File
			file, err = parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
			advices[path] = advicesIn(t, path, file)
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return advices, tests
}

// advicesIn returns the texts that a file gives as advice: the values of a field Do, those of
// the maps of advices, and the constants whose names begin with advice.
func advicesIn(t *testing.T, path string, file *ast.File) (found []string) {
	t.Helper()
	add := func(e ast.Expr) {
		text, ok := textOf(e)
		if !ok {
			t.Errorf("%s: an advice is no text but an expression: write the text into Do", path)
		}
		if text != "" && strings.TrimSpace(text) != "Then" {
			found = append(found, text)
		}
	}

	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Do" {
				add(n.Value)
			}

		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && to.Sel.Name == "Do" {
				add(n.Rhs[0])
			}

		case *ast.ValueSpec:
			if !isAdvice(n.Names[0]) || len(n.Values) == 0 {
				break
			}
			all, isMap := n.Values[0].(*ast.CompositeLit)
			if !isMap {
				add(n.Values[0])
				break
			}
			for _, element := range all.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					add(pair.Value)
				}
			}
		}

		return true
	})

	return found
}

// textOf returns the first text in an expression; what follows may be known only when the provider
// runs. Advice that is told by name or by class has its text where that is declared: the text
// is empty here.
func textOf(e ast.Expr) (text string, ok bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text == "" && n.Kind == token.STRING {
				text, _ = strconv.Unquote(n.Value)
			}

		case *ast.Ident:
			ok = ok || n.Name == "Do" || isAdvice(n)
		}

		return true
	})

	return text, ok || text != ""
}

// isAdvice reports whether a name is that of an advice, or of a map or a function of them.
func isAdvice(name *ast.Ident) bool { return strings.HasPrefix(strings.ToLower(name.Name), "advice") }

var testName = regexp.MustCompile("`(Test[A-Za-z0-9]+_[A-Za-z0-9]+)`")

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
