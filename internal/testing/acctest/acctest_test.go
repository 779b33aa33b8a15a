// SPDX-License-Identifier: MPL-2.0

package acctest

import "testing"

func TestVersion_decidesWhichFeaturesATestMayUse(t *testing.T) {
	t.Parallel()
	for printed, want := range map[string]struct{ writeOnly, actions bool }{
		"Terraform v1.5.0":               {},
		"Terraform v1.11.0-rc1":          {writeOnly: true},
		"Terraform v1.14.0\non linux":    {writeOnly: true, actions: true},
		"OpenTofu v1.10.9":               {},
		"OpenTofu v1.14.0\non linux_386": {writeOnly: true},
	} {
		v, err := parseVersion(printed)
		if err != nil || v.knows(WriteOnlyAttributes) != want.writeOnly || v.knows(Actions) != want.actions || !v.knows(Feature{}) {
			t.Errorf("%q: %+v, %v", printed, v, err)
		}
	}

	if v, err := parseVersion("command not recognized"); err == nil {
		t.Errorf("that is %+v", v)
	}
}
