package testprograms

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestList_hasTheFunctionsOfTheTests(t *testing.T) {
	t.Parallel()
	got, err := List(t.Context()) // of this folder
	if err != nil || len(got) != 1 || got[0].Name != "internal/cmd/testprograms" {
		t.Fatalf("got %+v, %v", got, err)
	}

	if names := got[0].Functions("TestList"); !slices.Contains(names, t.Name()) {
		t.Errorf("got %q", names)
	}
	if diff := cmp.Diff([]string(nil), got[0].Functions("Fuzz")); diff != "" {
		t.Errorf("unexpected names (-want +got):\n%s", diff)
	}
}
