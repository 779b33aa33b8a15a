// SPDX-License-Identifier: MPL-2.0

package main

import "testing"

func TestSilenceUnreadLogs_onlyIfNobodyReadsThem(t *testing.T) {
	t.Parallel()
	for entry, isSilenced := range map[string]bool{
		"": true, "TF_REATTACH_PROVIDERS=": true, "TF_LOG=DEBUG": false, "TF_LOG_PROVIDER_ANALYTICS=TRACE": false, "TF_LOG_PATH=terraform.log": false,
	} {
		set := map[string]string{}
		silenceUnreadLogs([]string{"PATH=/bin", entry}, func(key, value string) error { set[key] = value; return nil })
		if (set["TF_LOG_PROVIDER"] == "off") != isSilenced || (len(set) > 0) != isSilenced {
			t.Errorf("%q: set %v", entry, set)
		}
	}
}
