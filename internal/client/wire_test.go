// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// wholeWire has every setting.
const wholeWire = `{"envelope":"/data","ignored":{"/success":"true","/meta/request_id":"*"},"lag":"1m","absent":["204","empty"],` +
	`"result":{"at":"/code","success":["0"],"absent":["40400"]},"login":{"parameters_in":"form"},` +
	`"consent":{"parameters_in":"query","at":"/consent","omits_false":true,"time_format":"unix_s","time_kept":"s","altered":["manual"]},` +
	`"profile":{"at":""},` +
	`"pending":{"at":"/items","next":"/next","total":"/total","use":"partial","identity":"/who","id":"/no","type":"/what","status":"/phase","created":"/since",` +
	`"types":{"data_deletion":["purge"]},"statuses":{"done":["shipped"],"ended":["closed"]}},` +
	`"all_data":{"at":"/person","media_type":"application/zip"},` +
	`"export":{"kind_parameter":"kind","kind_values":{"events":"E"},"at":{"events":"/items"},"kind":"/sort","kinds":{"events":["hit"]},` +
	`"record":{"events":"/id"},"next":"/next","total":"/total","lines":true,"empty":true,"invalid_utf8":"replace"}}`

func TestParseWire_isWhatIsEncoded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{wholeWire, "{}"} {
		w, err := client.ParseWire([]byte(text))
		again, _ := json.Marshal(w.Minimal(), json.Deterministic(true))
		var want, got any
		_ = json.Unmarshal([]byte(text), &want)
		_ = json.Unmarshal(again, &got)
		if diff := cmp.Diff(want, got); err != nil || w.Problems() != nil || diff != "" {
			t.Errorf("%v, %v: %s", err, w.Problems(), diff)
		}
	}

	if w, err := client.ParseWire([]byte("null")); err != nil || cmp.Diff(client.Wire{}, w) != "" {
		t.Errorf("null is %+v, %v", w, err)
	}
}

func TestParseWire_refusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                               "is not valid JSON",
		`{"lag":"3s"} {}`:                "is not valid JSON",
		`{"pendng_list_lag":"3s"}`:       "does not exist, or a value of another type than the setting has, at /pendng_list_lag",
		`{"pending":{"use":["canary"]}}`: "a value of another type than the setting has, at /pending/use",
		`["canary"]`:                     "a value of another type than the setting has, at the top",
		`{"canary@example.com":1}`:       "does not exist, or a value of another type than the setting has, at /…",
	} {
		if _, err := client.ParseWire([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWire_problemsNameTheSettingAndNotItsValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
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
		if err != nil {
			t.Fatal(err)
		}

		problem := errors.Join(w.Problems()...)
		if problem == nil || !strings.Contains(problem.Error(), want) || strings.Contains(problem.Error(), "canary") {
			t.Errorf("%s: %v", text, problem)
		}
	}
}
