// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
)

// queryFile is how the name of a file ends that terraform query reads.
const queryFile = ".tfquery.hcl"

func TestCLIExamples_query(t *testing.T) {
	t.Parallel()
	for _, folder := range queryFolders(t) {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := open(t, folder)
			e.Needs(acctest.Lists)

			e.terraform(t, "validate", "-query")
			queried := e.terraform(t, "query")
			if !strings.Contains(queried.Output, "identity_id=") {
				t.Errorf("the query lists nobody:\n%s", queried.Output)
			}
		})
	}
}

// queryFolders returns the folders that have a query.
func queryFolders(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root+"/examples", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, queryFile) {
			return err
		}

		folder, err := filepath.Rel(root+"/examples", filepath.Dir(path))
		found = append(found, folder)

		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no queries (%v)", err)
	}

	return found
}
