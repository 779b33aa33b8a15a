// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

const (
	dayDescription = "UTC day to export, such as `2026-01-31`."

	kindsDescription = "Kinds of records to export: any of `persons`, `sessions` and `events`. Defaults to all three."

	countsDescription = "Number of exported records by kind. Null for kinds that were not requested."

	invalidUTF8Description = "Number of records in which bytes that are not UTF-8 were replaced."
)

// kindsValidators returns the validators of kinds.
func kindsValidators() []validator.Set {
	var names []string
	for _, k := range records.Kinds {
		names = append(names, k.Plural())
	}

	return []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(stringvalidator.OneOf(names...))}
}

// kindsKnown reports whether a set of kinds is known with all of its elements.
func kindsKnown(ctx context.Context, set types.Set) bool {
	v, err := set.ToTerraformValue(ctx)
	return err == nil && v.IsFullyKnown()
}

// kindsOf returns the kinds in a set, in the order of the interface; all kinds if the set
// is null or unknown.
func kindsOf(ctx context.Context, set types.Set) []records.Kind {
	if set.IsNull() || set.IsUnknown() {
		return records.Kinds
	}

	var names []string
	set.ElementsAs(ctx, &names, false)
	return slices.DeleteFunc(slices.Clone(records.Kinds), func(k records.Kind) bool { return !slices.Contains(names, k.Plural()) })
}

// countDescriptions holds the descriptions of the attributes of counts, by name.
var countDescriptions = map[string]string{
	"persons":  "Number of Person records.",
	"sessions": "Number of Session records.",
	"events":   "Number of Event records.",
	"unknown":  "Number of records that do not state their kind.",
}

// countTypes holds the types of the attributes of counts, by name.
var countTypes = map[string]attr.Type{
	"persons": types.Int64Type, "sessions": types.Int64Type, "events": types.Int64Type, "unknown": types.Int64Type,
}

// countsOf returns the value of counts for an export of kinds.
func countsOf(counts records.Counts, kinds []records.Kind) types.Object {
	values := map[string]attr.Value{records.Unknown.Plural(): types.Int64Value(counts.Of(records.Unknown))}
	for _, k := range records.Kinds {
		values[k.Plural()] = types.Int64Null()
		if slices.Contains(kinds, k) {
			values[k.Plural()] = types.Int64Value(counts.Of(k))
		}
	}

	return types.ObjectValueMust(countTypes, values)
}
