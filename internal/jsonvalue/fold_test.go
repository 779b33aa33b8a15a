// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

func TestFold_lettersAndDigitsInLowerCase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"recordType": "recordtype", "record_type": "recordtype", "Record-Type": "recordtype", "@odata.count": "odatacount", "$id": "id", "a b\tc/d": "abcd",
		"GELÖSCHT": "gelöscht", "a–Ö1": "aö1", "\xffx": "x", "_": "", "": "",
	} {
		if got := jsonvalue.Fold(name); got != want {
			t.Errorf("%q is folded to %q", name, got)
		}
	}
}
