// SPDX-License-Identifier: MPL-2.0

package main

import (
	"maps"
	"slices"
	"testing"
)

func TestSilenceUnreadLogs_onlyIfNobodyReadsThem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		environment []string
		silenced    bool
	}{
		{nil, true},
		{[]string{"PATH=/bin", "TF_REATTACH_PROVIDERS="}, true},
		{[]string{"TF_LOG=DEBUG"}, false},
		{[]string{"PATH=/bin", "TF_LOG_PROVIDER_ANALYTICS=TRACE"}, false},
		{[]string{"TF_LOG_PATH=terraform.log"}, false},
	} {
		set := map[string]string{}
		silenceUnreadLogs(tc.environment, func(key, value string) error { set[key] = value; return nil })
		if (len(set) > 0) != tc.silenced {
			t.Errorf("%v: set %v", tc.environment, slices.Sorted(maps.Keys(set)))
		}

		for name, value := range set {
			if value != "off" {
				t.Errorf("%s is set to %s", name, value)
			}
		}
	}
}
