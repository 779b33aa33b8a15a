package client_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// groups are the groups of files of the package from the bottom up, by the beginnings of
// their names. All other files are endpoints, at the top. The doc comment of the package
// describes the groups.
var groups = [][]string{
	{"config", "endpoint", "errors", "locks", "answers", "text", "time"},
	{"http_"},
	{"answer_"},
}

// groupOf returns how high the group of a file is.
func groupOf(file string) int {
	for i, prefixes := range groups {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(file, prefix) }) {
			return i
		}
	}
	return len(groups)
}

func TestGroups_useOnlyThoseBelow(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	files := parseFiles(t, fset)

	// What is imported does not matter here, so that errors about it do not either.
	uses := map[*ast.Ident]types.Object{}
	config := types.Config{Importer: emptyImporter{}, Error: func(error) {}}
	pkg, _ := config.Check("client", fset, files, &types.Info{Uses: uses})

	for ident, object := range uses {
		from, to := fileOf(fset, ident.Pos()), fileOf(fset, object.Pos())
		if object.Pkg() == pkg && groupOf(from) < groupOf(to) {
			t.Errorf("%s uses %s of %s, which is in a group above", fset.Position(ident.Pos()), ident.Name, to)
		}
	}
}

// parseFiles parses the files of the package, without those of its tests.
func parseFiles(t *testing.T, fset *token.FileSet) []*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}

	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}

		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}

	return files
}

func fileOf(fset *token.FileSet, pos token.Pos) string {
	return filepath.Base(fset.Position(pos).Filename)
}

// emptyImporter imports packages without anything in them.
type emptyImporter struct{}

func (emptyImporter) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, filepath.Base(path))
	pkg.MarkComplete()
	return pkg, nil
}
