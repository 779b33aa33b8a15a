// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

func TestWire_kindValuesAreThreeAndDifferent(t *testing.T) {
	t.Parallel()
	for values, ok := range map[string]bool{"": true, "P,S,E": true, " a , b , c ": true, "a,b": false, "a,b,c,d": false, "a,a,b": false, "a,,b": false, "a, ,b": false} {
		if err := (client.Wire{ExportKindValues: values}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", values, err)
		}
	}
}

func TestWire_kindParameterIsNoOtherParameter(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{"": true, "kind": true, "utcDate": false, "UTCDATE": false, "apiSecretToken": false, "apisecrettoken": false} {
		if err := (client.Wire{ExportKindParameter: name}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
