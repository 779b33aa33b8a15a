// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// TestRow_everyColumnCounts holds that the value of each column is in the update, in the values
// and in the digest of a row, and is compared with that of a record.
func TestRow_everyColumnCounts(t *testing.T) {
	t.Parallel()
	texts := map[string][2]string{
		identityColumn: {"ada", "jane"}, "user_ipv6": {"2001:db8::1", "2001:db8::2"}, "agreement_time": {"2026-01-31T12:00:00Z", "2026-02-01T12:00:00Z"},
	}

	for _, name := range columns {
		var row, other Row
		values, isText := texts[name]
		if !isText {
			values = [2]string{"true", "false"}
		}
		if err := cmp.Or(row.set(row.field(name), values[0]), other.set(other.field(name), values[1])); err != nil {
			t.Errorf("give %s two values: %v", name, err)
		}

		if Sum([]Row{row}) == Sum([]Row{other}) {
			t.Errorf("%s does not count in the digest", name)
		}
		if name == identityColumn {
			continue
		}

		record := other.Values()
		if reflect.DeepEqual(row.Values(), record) {
			t.Errorf("%s is not sent", name)
		}
		text, _ := json.Marshal(record)
		if held, err := (decode.ConsentCall{}).Read(text); err != nil || !slices.Equal(choice.Keeping{}.Differences(row.Print(), choice.PrintOf(held)), []string{name}) {
			t.Errorf("%s is not compared: %v", name, err)
		}
	}
}
