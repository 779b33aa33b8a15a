// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

func TestWire_problemsNameTheSettingAndNotItsValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                               "is not valid JSON",
		`{"lag":"3s"} {}`:                "is not valid JSON",
		`{"pendng_list_lag":"3s"}`:       "does not exist, or a value of another type than the setting has, at /pendng_list_lag",
		`{"pending":{"use":["canary"]}}`: "a value of another type than the setting has, at /pending/use",
		`["canary"]`:                     "a value of another type than the setting has, at the top",
		`{"canary@example.com":1}`:       "does not exist, or a value of another type than the setting has, at /…",

		`{"envelope":"canary"}`:                                  "wire.envelope must be a JSON Pointer",
		`{"ignored":{"took":"*"}}`:                               "wire.ignored has a key that is not a JSON Pointer",
		`{"result":{"success":["canary"]}}`:                      "wire.result needs both",
		`{"lag":"11m"}`:                                          "wire.lag must be a duration from 0s to 10m0s",
		`{"lag":"-1s"}`:                                          "wire.lag must be a duration",
		`{"absent":["json_404","canary"]}`:                       "wire.absent must be one of json_404, any_404",
		`{"pending":{"types":{"erasure":["erase"]}}}`:            "wire.pending.types has a key other than data_access",
		`{"pending":{"statuses":{"done":["x"],"failed":["x"]}}}`: `wire.pending.statuses holds a word twice`,
		`{"pending":{"statuses":{"done":[" "]}}}`:                "wire.pending.statuses holds an empty word",
		`{"export":{"record":{"events":"id"}}}`:                  "wire.export.record must be a JSON Pointer",
	} {
		w, err := client.ParseWire([]byte(text))
		problem := errors.Join(append(w.Problems(), err)...)
		if problem == nil || !strings.Contains(problem.Error(), want) || strings.Contains(problem.Error(), "canary") {
			t.Errorf("%s: %v", text, problem)
		}
	}
}
