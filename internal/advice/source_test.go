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
	"sync"
	"testing"
)

// source is what the tests of this package read of the repository.
type source struct {
	provider map[string]*ast.File // the code that speaks to the users of the provider, by path below internal
	tests    map[string]bool      // the tests of all packages, as folder.Name
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// read returns the source, which is read once.
var read = sync.OnceValues(func() (source, error) {
	s := source{map[string]*ast.File{}, map[string]bool{}}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}

		text, err := os.ReadFile(path)
		path = strings.TrimPrefix(filepath.ToSlash(path), "../")
		folder, _, _ := strings.Cut(path, "/")
		if strings.HasSuffix(path, "_test.go") {
			for _, f := range testFunction.FindAllSubmatch(text, -1) {
				s.tests[filepath.ToSlash(filepath.Dir(path))+"."+string(f[1])] = true
			}
		} else if err == nil && folder != "cmd" && folder != "doctor" && folder != "mockserver" {
			s.provider[path], err = parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		}

		return err
	})

	return s, err
})

func readSource(t *testing.T) source {
	t.Helper()
	s, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// advicesIn returns the texts that a file gives as advice: the values of a field Do, those of
// the map advices, and the constants whose names begin with advice.
func advicesIn(t *testing.T, path string, file *ast.File) []string {
	t.Helper()
	var found []string
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
			for i, name := range n.Names {
				if !isAdvice(name) || i >= len(n.Values) {
					continue
				}
				if all, ok := n.Values[i].(*ast.CompositeLit); ok {
					for _, element := range all.Elts {
						if pair, ok := element.(*ast.KeyValueExpr); ok {
							add(pair.Value)
						}
					}
					continue
				}
				add(n.Values[i])
			}
		}

		return true
	})

	return found
}

// textOf returns the text of an expression, with "…" for what is known only when the provider
// runs. Advice that is told by name or by class has its text where that is declared: the text
// is empty here.
func textOf(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.ParenExpr:
		return textOf(e.X)
	case *ast.BinaryExpr:
		left, knownLeft := textOf(e.X)
		right, knownRight := textOf(e.Y)
		if !knownLeft {
			left = "…"
		}
		if !knownRight {
			right = "…"
		}

		return left + right, knownLeft || knownRight
	case *ast.CallExpr:
		if named, isNamed := e.Fun.(*ast.SelectorExpr); isNamed && named.Sel.Name == "Sprintf" {
			return textOf(e.Args[0])
		}
		return textOf(e.Fun)
	case *ast.Ident:
		return "", isAdvice(e)
	case *ast.IndexExpr:
		return textOf(e.X)
	case *ast.SelectorExpr:
		_, ofAdvice := textOf(e.X)
		return "", e.Sel.Name == "Do" || isAdvice(e.Sel) || ofAdvice
	default:
		return "", false
	}
}

// isAdvice reports whether a name is that of an advice, or of a map or a function of them.
func isAdvice(name *ast.Ident) bool { return strings.HasPrefix(strings.ToLower(name.Name), "advice") }
