// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"maps"
	"reflect"
	"testing"
)

// TestRow_everyColumnCounts holds that the value of each column is in the update, in the values
// and in the digest of a row.
func TestRow_everyColumnCounts(t *testing.T) {
	t.Parallel()
	texts := map[string]string{identityColumn: "ada", "user_ipv6": "2001:db8::1", "agreement_time": "2026-01-31T12:00:00Z"}

	for _, c := range columns {
		var empty, row Row
		if c.setBool != nil {
			c.setBool(&row, true)
		} else if err := c.setText(&row, texts[c.name]); err != nil {
			t.Errorf("give %s a text: %v", c.name, err)
		}

		if Sum([]Row{row}) == Sum([]Row{empty}) {
			t.Errorf("%s does not count in the digest", c.name)
		}
		if maps.Equal(row.Values(), empty.Values()) || len(row.Values()) != len(columns) {
			t.Errorf("%s does not count in the values", c.name)
		}
		if c.name != identityColumn && reflect.DeepEqual(row.Update(), empty.Update()) {
			t.Errorf("%s is not sent", c.name)
		}
	}
}
